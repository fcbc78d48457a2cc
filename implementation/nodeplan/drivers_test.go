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

package nodeplan_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/nodeplan"
)

// testTime is any time.
var testTime = time.Unix(1000, 0)

func TestRegistration(t *testing.T) {
	for name, tc := range map[string]struct {
		services []string
		timeout  time.Duration
		want     nodeplan.Instance
		err      string
	}{
		"v1":      {[]string{"v1.DRAPlugin"}, 0, nodeplan.Instance{Service: "v1.DRAPlugin", Timeout: 45 * time.Second}, ""},
		"v1beta1": {[]string{"v1beta1.DRAPlugin"}, time.Minute, nodeplan.Instance{Service: "v1beta1.DRAPlugin", Timeout: time.Minute}, ""},
		"the best of several": {[]string{"v1.DRAResourceHealth", "v1beta1.DRAPlugin", "v1.DRAPlugin"}, -1,
			nodeplan.Instance{Service: "v1.DRAPlugin", Timeout: 45 * time.Second}, ""},
		"none": {nil, 0, nodeplan.Instance{},
			"invalid supported gRPC versions of DRA driver plugin a at endpoint /1: empty list of supported gRPC services (aka supported versions)"},
		"unsupported": {[]string{"v1alpha4.Node"}, 0, nodeplan.Instance{},
			`invalid supported gRPC versions of DRA driver plugin a at endpoint /1: none of services supported by the plugin (["v1alpha4.Node"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])`},
	} {
		t.Run(name, func(t *testing.T) {
			var drivers nodeplan.Drivers
			got, err := drivers.Register("a", "/1", tc.services, tc.timeout)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err || drivers.Names().Has("a") {
					t.Errorf("error is %v, want %s", err, tc.err)
				}
				return
			}
			tc.want.Driver, tc.want.Endpoint = "a", "/1"
			if err != nil || got != tc.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.want)
			}
		})
	}
}

func TestEndpointBelongsToOneInstance(t *testing.T) {
	var drivers nodeplan.Drivers
	services := []string{"v1.DRAPlugin"}
	if _, err := drivers.Register("a", "/1", services, 0); err != nil {
		t.Fatal(err)
	}
	for name, driver := range map[string]string{"same driver": "a", "under another name": "b"} {
		t.Run(name, func(t *testing.T) {
			if _, err := drivers.Register(driver, "/1", services, 0); err == nil || err.Error() != "endpoint /1 already registered for DRA driver plugin a" {
				t.Errorf("unexpected error: %v", err)
			}
			if !drivers.Names().Equal(sets.New("a")) {
				t.Errorf("drivers are %v", drivers.Names())
			}
		})
	}
}

func TestRollingUpdate(t *testing.T) {
	var drivers nodeplan.Drivers
	picked := func(want string) {
		t.Helper()
		got, ok := drivers.Pick("a")
		if got.Endpoint != want || ok != (want != "") {
			t.Errorf("picked %q, want %q", got.Endpoint, want)
		}
	}
	register := func(endpoint string) {
		t.Helper()
		if _, err := drivers.Register("a", endpoint, []string{"v1.DRAPlugin"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	picked("")
	register("/old")
	picked("/old")
	drivers.SetConnected("a", "/old", true)
	register("/new")
	picked("/old") // The new one is not connected yet.
	drivers.SetConnected("a", "/new", true)
	picked("/new")
	drivers.SetConnected("a", "/new", false)
	picked("/old")
	drivers.SetConnected("a", "/old", false)
	picked("/new")
	if drivers.Deregister("a", "/old") {
		t.Error("the new instance is still there")
	}
	picked("/new")
	if !drivers.Deregister("a", "/new") || drivers.Deregister("a", "/new") {
		t.Error("the last instance goes once")
	}
	picked("")
}
