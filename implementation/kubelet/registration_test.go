/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package kubelet_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/implementation/kubelet"
)

func TestRefusedPlugins(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	const supported = `(["v1.DRAPlugin" "v1beta1.DRAPlugin"])`
	for name, tc := range map[string]struct {
		driver, endpoint string
		services         []string
		want             string
	}{
		"no service": {"b", "/b.sock", nil,
			"invalid supported gRPC versions of DRA driver plugin b at endpoint /b.sock: empty list of supported gRPC services (aka supported versions)"},
		"version": {"b", "/b.sock", []string{"v1alpha4.Node"},
			`invalid supported gRPC versions of DRA driver plugin b at endpoint /b.sock: none of services supported by the plugin (["v1alpha4.Node"]) are supported by the kubelet ` + supported},
		"no name":    {"", "/b.sock", []string{"v1.DRAPlugin"}, `invalid name "" of DRA driver plugin at endpoint /b.sock: a lowercase RFC 1123 subdomain must`},
		"wrong name": {"a/b", "/b.sock", []string{"v1.DRAPlugin"}, `invalid name "a/b" of DRA driver plugin at endpoint /b.sock: a lowercase RFC 1123 subdomain must`},
		"long name": {strings.Repeat("b", 64), "/b.sock", []string{"v1.DRAPlugin"},
			`invalid name "` + strings.Repeat("b", 64) + `" of DRA driver plugin at endpoint /b.sock: must be no more than 63 characters`},
		"same endpoint":                    {"a", a.socket, []string{"v1.DRAPlugin"}, "endpoint " + a.socket + " already registered for DRA driver plugin a"},
		"same endpoint for another driver": {"b", a.socket, []string{"v1.DRAPlugin"}, "endpoint " + a.socket + " already registered for DRA driver plugin a"},
	} {
		t.Run(name, func(*testing.T) {
			w.fails(w.manager.RegisterPlugin(w.ctx, tc.driver, tc.endpoint, tc.services, nil), tc.want)
			if tc.endpoint != a.socket {
				w.fails(w.manager.ValidatePlugin(w.ctx, tc.driver, tc.endpoint, tc.services), tc.want)
			}
		})
	}
	for _, name := range []string{"b", "GPU.Example.com"} {
		if err := w.manager.ValidatePlugin(w.ctx, name, "/b.sock", []string{"v1beta1.DRAPlugin"}); err != nil {
			t.Error(err)
		}
	}
}

// Plugins register only while the manager runs, so it can stop them.
func TestRegistrationNeedsAStart(t *testing.T) {
	w := newWorld(t)
	m, err := kubelet.New(w.ctx, w.config())
	if err != nil {
		t.Fatal(err)
	}
	const want = "the DRA manager is not running"
	w.fails(m.RegisterPlugin(w.ctx, "a", "/a.sock", []string{"v1.DRAPlugin"}, nil), want)
	w.fails(w.manager.Start(w.ctx, w.activePods, w.node, w), "the DRA manager was started before")
	w.cancel()
	w.eventually("the manager has stopped", func() bool {
		err := w.manager.RegisterPlugin(w.ctx, "a", "/a.sock", []string{"v1.DRAPlugin"}, nil)
		if err == nil {
			w.manager.DeRegisterPlugin(w.ctx, "a", "/a.sock")
			return false
		}
		return err.Error() == want
	})
}

func TestDriverWithOldService(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a", "v1beta1.DRAPlugin")
	p := pod("p", "c")
	w.reserve(claim("c", "a"), p)
	w.prepare(p)
	w.equal("devices", w.devices(p), "a/class=c")
	w.unprepare(p)
	w.equal("calls", a.seen(), "+c, -c")
	if w.counters.get("a /v1beta1.DRAPlugin/NodePrepareResources OK")+w.counters.get("a /k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources OK") != 1 {
		t.Errorf("calls are %v", w.counters.seen)
	}
}

// During a rolling update the newest instance with a connection is called.
func TestRollingUpdate(t *testing.T) {
	w := newWorld(t)
	old := w.driver("a")
	w.connected("a")
	next := w.newDriver("a")
	w.register(next)
	w.eventually("the new instance is called", func() bool {
		p := pod("p", "c")
		w.reserve(claim("c", "a"), p)
		w.prepare(p)
		w.unprepare(p)
		return next.seen() != ""
	})
	old.seen()

	next.stop()
	w.eventually("the old instance is called", func() bool {
		p := pod("p", "c")
		w.activate(p)
		return w.manager.Prepare(w.ctx, p) == nil
	})
	w.equal("calls", old.seen(), "+c")
	w.manager.DeRegisterPlugin(w.ctx, "a", next.socket)
	w.manager.DeRegisterPlugin(w.ctx, "b", old.socket)
	w.manager.DeRegisterPlugin(w.ctx, "a", "/unknown.sock")
	w.unprepare(pod("p"))
	w.equal("calls", old.seen(), "-c")
	if len(wipes(w)) > 1 {
		t.Errorf("slices were removed: %v", wipes(w))
	}
}
