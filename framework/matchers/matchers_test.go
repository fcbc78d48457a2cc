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

package matchers_test

import (
	"strings"
	"testing"

	"github.com/onsi/gomega/types"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/matchers"
)

func claim(devices ...string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{}
	for _, d := range devices {
		if c.Status.Allocation == nil {
			c.Status.Allocation = &resourceapi.AllocationResult{}
		}
		pool, device, _ := strings.Cut(d, "/")
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Pool: pool, Device: device})
	}
	return c
}

func reserved(uids ...apitypes.UID) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{}
	for _, uid := range uids {
		c.Status.ReservedFor = append(c.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{UID: uid})
	}
	return c
}

func conditions() *resourceapi.ResourceClaim {
	c := claim("n/a")
	c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Pool: "n", Device: "a", Conditions: []metav1.Condition{
		{Type: "on", Status: metav1.ConditionTrue}, {Type: "off", Status: metav1.ConditionFalse},
	}}}
	return c
}

func pod(uid apitypes.UID) *corev1.Pod { return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid}} }

func TestMatchers(t *testing.T) {
	env := map[string]string{"PATH": "/bin", "claim_c_r": "d0,d1", "user_a": "b", "admin_x": "y"}
	for _, tc := range []struct {
		name    string
		matcher types.GomegaMatcher
		actual  any
		want    bool
	}{
		{"devices in another order", matchers.HaveDevices("b", "a"), claim("n/a", "n/b"), true},
		{"a device too few", matchers.HaveDevices("a"), claim("n/a", "n/b"), false},
		{"a device too many", matchers.HaveDevices("a", "b"), claim("n/a"), false},
		{"not allocated as expected", matchers.HaveDevices(), claim(), true},
		{"not allocated", matchers.HaveDevices("a"), claim(), false},
		{"all from the pool", matchers.HaveDevicesFrom("n"), claim("n/a", "n/b"), true},
		{"one from another pool", matchers.HaveDevicesFrom("n"), claim("n/a", "m/b"), false},
		{"none from the pool", matchers.HaveDevicesFrom("n"), claim(), false},
		{"reserved for both", matchers.BeReservedFor(pod("1"), pod("2")), reserved("2", "1"), true},
		{"reserved for one more", matchers.BeReservedFor(pod("1")), reserved("2", "1"), false},
		{"reserved for nobody", matchers.BeReservedFor(), reserved(), true},
		{"sees both devices", matchers.SeeDevices("c", "r", "d0", "d1"), env, true},
		{"sees more than that", matchers.SeeDevices("c", "r", "d0"), env, false},
		{"sees a request", matchers.SeeRequest("c", "r"), env, true},
		{"does not see a request", matchers.SeeRequest("c", "s"), env, false},
		{"sees the devices of any request", matchers.SeeOnlyDevices("d1", "d0"), env, true},
		{"sees one more", matchers.SeeOnlyDevices("d0"), env, false},
		{"sees devices where none are expected", matchers.SeeOnlyDevices(), env, false},
		{"condition is true", matchers.HaveDeviceConditions("on"), conditions(), true},
		{"condition is false", matchers.HaveDeviceConditions("on", "off"), conditions(), false},
		{"no conditions", matchers.HaveDeviceConditions("on"), claim("n/a"), false},
		{"sees something", matchers.SeeNothing(), env, false},
		{"sees nothing", matchers.SeeNothing(), map[string]string{"PATH": "/bin"}, true},
		{"claim parameter", matchers.SeeClaimParameter("a", "b"), env, true},
		{"class parameter is not the claim's", matchers.SeeClaimParameter("x", "y"), env, false},
		{"class parameter", matchers.SeeClassParameter("x", "y"), env, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.matcher.Match(tc.actual)
			if err != nil || got != tc.want {
				t.Errorf("got %v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

func TestFailureShowsOnlyWhatTheDriverSaid(t *testing.T) {
	m := matchers.SeeDevices("c", "r", "d0")
	actual := map[string]string{"PATH": "/bin", "claim_c_r": "d1"}
	if ok, _ := m.Match(actual); ok {
		t.Fatal("d1 is not d0")
	}
	if text := m.FailureMessage(actual); strings.Contains(text, "PATH") || !strings.Contains(text, "d1") {
		t.Errorf("message:\n%s", text)
	}
}
