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
	"errors"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// wipes are the selectors of removed ResourceSlices.
func wipes(w *world) []string {
	var selectors []string
	for _, action := range w.client.Actions() {
		if removal, ok := action.(clienttesting.DeleteCollectionAction); ok {
			selectors = append(selectors, removal.GetListRestrictions().Fields.String())
		}
	}
	return selectors
}

func claimGets(w *world) []clienttesting.Action {
	var gets []clienttesting.Action
	for _, action := range w.client.Actions() {
		if action.Matches("get", "resourceclaims") {
			gets = append(gets, action)
		}
	}
	return gets
}

func (w *world) wiped(n int, want string) {
	w.t.Helper()
	w.eventually("slices are removed", func() bool { return len(wipes(w)) >= n })
	w.equal("selector", wipes(w)[n-1], want)
}

// later advances the clock for all waiters, including a wipe.
func (w *world) later(d time.Duration, waiting int) {
	w.t.Helper()
	w.eventually("all wait", func() bool { return w.clock.Waiters() == waiting })
	w.clock.Step(d)
}

// connected waits for a driver's connection and the end of its wipe.
func (w *world) connected(driver string) {
	w.t.Helper()
	w.eventually("driver is connected", func() bool { return w.manager.Connected(driver) })
	w.eventually("nothing is due", func() bool { return w.clock.Waiters() == 1 })
}

// KEP-4381: slices are removed when the kubelet starts, and when a driver stays away.
func TestSlicesAreRemoved(t *testing.T) {
	w := newWorld(t)
	w.wiped(1, "spec.nodeName=node-1")
	a := w.driver("a")
	w.connected("a")
	w.clock.Step(time.Hour)

	a.stop()
	w.later(29*time.Second, 2)
	a.serve()
	w.connected("a")
	a.stop()
	w.later(30*time.Second, 2)
	w.wiped(2, "spec.driver=a,spec.nodeName=node-1")

	a.serve()
	w.connected("a")
	w.manager.DeRegisterPlugin(w.ctx, "a", a.socket)
	w.later(30*time.Second, 2)
	w.wiped(3, "spec.driver=a,spec.nodeName=node-1")
}

// A driver that never answers on its socket counts as disconnected.
func TestSlicesOfDriverWithoutServer(t *testing.T) {
	w := newWorld(t)
	w.wiped(1, "spec.nodeName=node-1")
	if err := w.manager.RegisterPlugin(w.ctx, "a", w.socket("a"), []string{"v1.DRAPlugin"}, nil); err != nil {
		t.Fatal(err)
	}
	w.later(30*time.Second, 2)
	w.wiped(2, "spec.driver=a,spec.nodeName=node-1")
}

func TestRemovalIsRetried(t *testing.T) {
	w := newWorld(t)
	w.wiped(1, "spec.nodeName=node-1")
	var failures atomic.Int32
	w.client.PrependReactor("delete-collection", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		switch failures.Add(1) {
		case 1:
			return true, nil, errors.New("connection refused")
		case 2:
			return true, nil, apierrors.NewUnauthorized("no credentials yet")
		default:
			return false, nil, nil
		}
	})
	w.onNode(apierrors.NewNotFound(corev1.Resource("nodes"), "node-1"))
	w.restart()
	w.later(0, 2) // the first attempt found no node
	w.onNode(nil)
	w.later(3*time.Second, 2)
	for range 2 {
		w.later(5*time.Second, 2)
	}
	w.wiped(4, "spec.nodeName=node-1")
}

func (w *world) onNode(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noNode = err
}

// Without an API server, old claims can still be unprepared, and nothing else fails.
func TestStandalone(t *testing.T) {
	w := newWorld(t)
	a := w.driver("a")
	p := pod("p", "c")
	c := claim("c", "a", "b")
	c.Status.Allocation.Devices.Results[1].SkipNodeOperations = []resourceapi.SkipNodeOperation{"*"}
	w.reserve(c, p)
	w.prepare(p)
	w.wiped(1, "spec.nodeName=node-1")
	w.stop()
	w.standalone()
	w.equal("devices", w.devices(p), "a/class=c")
	w.fails(w.manager.Unprepare(w.ctx, p), "unprepare dynamic resources: DRA driver a is not registered")
	w.register(a)
	w.unprepare(p)
	w.equal("calls", a.seen(), "+c, -c")
	w.refused(pod("p", "c"), "fetch ResourceClaim c: the kubelet has no API server")
	w.prepare(pod("p"))
	if len(wipes(w)) != 1 {
		t.Errorf("slices were removed: %v", wipes(w))
	}
}
