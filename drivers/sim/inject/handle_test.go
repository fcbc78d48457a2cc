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

package inject

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fromController is a claim allocated by the driver's controller, with a device in no slice.
func fromController(t *testing.T, handle string) *resourceapi.ResourceClaim {
	t.Helper()
	said, err := json.Marshal(map[string]any{
		"apiVersion": controllerGroup + "/v1alpha1", "kind": "AllocationConfig", "resourceHandle": handle, "userLimit": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c", UID: "uid"}}
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: driver, Pool: "node", Device: "device-0"}},
		Config: []resourceapi.DeviceAllocationConfiguration{
			config(resourceapi.AllocationConfigSourceClaim, driver, `{"inline":"c"}`, "req"),
			config(resourceapi.AllocationConfigSourceClass, controllerGroup, string(said), "req"),
		},
	}}
	return c
}

// The article on Kubernetes 1.26: a value of the parameters object is in the environment.
func TestClaimOfAController(t *testing.T) {
	made, devices, err := Claim(driver, fromController(t, `{"device":"node/device-0","environment":{"admin_c":"d","user_a":"b"}}`))
	if err != nil || len(devices) != 1 {
		t.Fatalf("devices %v, %v", devices, err)
	}
	env := made.Devices[0].ContainerEdits.Env
	for _, want := range []string{"user_a=b", "admin_c=d", "user_inline=c", "claim_c_req=device-0", "pool_c_req=node"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not in %q", want, env)
		}
	}
	if _, _, err := Claim(driver, fromController(t, "")); err != nil {
		t.Errorf("without a handle: %v", err)
	}
}

func TestHandlesThatAreWrong(t *testing.T) {
	for handle, want := range map[string]string{
		"volume-7":                        "read the controller's handle: invalid character",
		`{"environment":{"a=b":"c"}}`:     `"a=b" can not be an environment variable`,
		`{"environment":{"a":"b\u0000"}}`: `"a" can not be an environment variable`,
	} {
		if _, _, err := Claim(driver, fromController(t, handle)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("handle %s: got %v", handle, err)
		}
	}
}
