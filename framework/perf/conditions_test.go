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

package perf

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

func TestConditionsAreMetOnce(t *testing.T) {
	claim := &resourceapi.ResourceClaim{}
	if got := unmet(claim); len(got) > 0 {
		t.Errorf("without an allocation: %v", got)
	}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Driver: "d", Pool: "p", Device: "plain"},
		{Driver: "d", Pool: "p", Device: "one", BindingConditions: []string{"a", "b"}},
		{Driver: "d", Pool: "q", Device: "one", BindingConditions: []string{"a"}},
	}}}
	claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: "d", Pool: "q", Device: "one"}}
	got := unmet(claim)
	if len(got) != 1 || got[0].Pool != "p" || !meta.IsStatusConditionTrue(got[0].Conditions, "a") || !meta.IsStatusConditionTrue(got[0].Conditions, "b") {
		t.Fatalf("got %+v, want device one of pool p with a and b", got)
	}
	claim.Status.Devices = append(claim.Status.Devices, got...)
	if got := unmet(claim); len(got) > 0 {
		t.Errorf("once they are met: %v", got)
	}
}
