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

package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const driver = "gpu.example.com"

func TestUntold(t *testing.T) {
	result := func(of, device string, share *types.UID) resourceapi.DeviceRequestAllocationResult {
		return resourceapi.DeviceRequestAllocationResult{Driver: of, Pool: "p", Device: device, ShareID: share}
	}
	var c resourceapi.ResourceClaim
	if got := untold(&c, driver); len(got) != 1 {
		t.Errorf("of a claim without an allocation: %v", got)
	}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{
		result(driver, "a", nil), result(driver, "b", ptr.To[types.UID]("1")), result(driver, "b", ptr.To[types.UID]("2")), result("other.example.com", "c", nil),
	}
	c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "p", Device: "a"}, {Driver: driver, Pool: "p", Device: "b", ShareID: ptr.To("1")}}
	if d := cmp.Diff([]string{"{driver:gpu.example.com pool:p device:b share:2}"}, untold(&c, driver)); d != "" {
		t.Error(d)
	}
}

func TestUnmet(t *testing.T) {
	var c resourceapi.ResourceClaim
	if got := unmet(&c); len(got) != 1 {
		t.Errorf("of a claim without an allocation: %v", got)
	}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{Driver: driver, Pool: "p", Device: "a", BindingConditions: []string{"Attached", "Ready"}}}
	c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "p", Device: "a", Conditions: []metav1.Condition{
		{Type: "Attached", Status: metav1.ConditionTrue}, {Type: "Ready", Status: metav1.ConditionFalse},
	}}}
	if d := cmp.Diff([]string{"Ready of device a of pool p"}, unmet(&c)); d != "" {
		t.Error(d)
	}
}
