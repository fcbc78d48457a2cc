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

package peer

import (
	"testing"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
)

// twoNodes has two devices on node "a", one of them in use, and a claim for count devices.
func twoNodes(count int64) *problem.Problem {
	claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "claim"}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}}
	return &problem.Problem{
		Nodes:   []problem.Node{{Name: "a"}, {Name: "b"}},
		Classes: []resourceapi.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}},
		Slices: []resourceapi.ResourceSlice{{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
			Driver: "d", NodeName: ptr.To("a"), Pool: resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1},
			Devices: []resourceapi.Device{{Name: "used"}, {Name: "free"}},
		}}},
		Allocated: []resourceapi.ResourceClaim{*allocated("other", resourceapi.DeviceRequestAllocationResult{Driver: "d", Pool: "p", Device: "used"})},
		Claims:    []resourceapi.ResourceClaim{claim},
	}
}

func TestAllocator(t *testing.T) {
	answers := Allocator{}.Solve(t.Context(), twoNodes(1), difftest.For(time.Minute))
	if len(answers) != 2 || answers[0].Kind != difftest.Fits || answers[1].Kind != difftest.DoesNotFit {
		t.Fatalf("one device on the nodes: %v", answers)
	}
	results := answers[0].Allocations[0].Devices.Results
	if len(results) != 1 || results[0].Device != "free" || results[0].Request != "r" {
		t.Errorf("got %+v", results)
	}
	if answers := (Allocator{}).Solve(t.Context(), twoNodes(2), difftest.For(time.Minute)); answers[0].Kind != difftest.DoesNotFit {
		t.Errorf("two devices: %v", answers[0])
	}
	gone := twoNodes(1)
	gone.Classes = nil
	if answers := (Allocator{}).Solve(t.Context(), gone, difftest.For(time.Minute)); answers[0].Kind != difftest.DoesNotFit {
		t.Errorf("without the class: %v", answers[0])
	}
}

func TestAllocatorWithoutTime(t *testing.T) {
	p := twoNodes(20)
	p.Allocated, p.Slices[0].Spec.Devices = nil, nil
	for i := range 19 {
		p.Slices[0].Spec.Devices = append(p.Slices[0].Spec.Devices, resourceapi.Device{Name: string(rune('a' + i))})
	}
	if answers := (Allocator{}).Solve(t.Context(), p, difftest.For(50*time.Millisecond)); answers[0].Kind != difftest.TooSlow {
		t.Errorf("20 of 19 devices, which takes a search of 19! steps: %v", answers[0])
	}
}
