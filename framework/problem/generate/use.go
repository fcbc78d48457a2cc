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

package generate

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// addUse allocates some devices to other claims consistently; counters may be overdrawn, as after a
// slice update.
func (g *generator) addUse() {
	if !g.knobs[inUse] {
		return
	}
	share := pick(g, 20, 40, 60)
	for i := range g.p.Slices {
		for d := range g.p.Slices[i].Spec.Devices {
			if g.chance(share) {
				g.use(&g.p.Slices[i], &g.p.Slices[i].Spec.Devices[d])
			}
		}
	}
	if g.chance(10) {
		g.allocate(resourceapi.DeviceRequestAllocationResult{Driver: allDrivers[0], Pool: "a", Device: "dev-gone"})
	}
}

func (g *generator) use(slice *resourceapi.ResourceSlice, device *resourceapi.Device) {
	result := resourceapi.DeviceRequestAllocationResult{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: device.Name}
	if g.knobs[adminAccess] && g.chance(30) {
		admin := result
		admin.AdminAccess = ptr.To(true)
		g.allocate(admin)
		if g.chance(50) {
			return
		}
	}
	if !ptr.Deref(device.AllowMultipleAllocations, false) {
		g.allocate(result)
		return
	}
	for range g.between(1, 2) {
		shared := result
		shared.ShareID = ptr.To(types.UID(fmt.Sprintf("old-%d", len(g.p.Allocated))))
		for name, capacity := range device.Capacity {
			if shared.ConsumedCapacity == nil {
				shared.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{}
			}
			quarter := capacity.Value.DeepCopy()
			shared.ConsumedCapacity[name] = *resource.NewMilliQuantity(quarter.MilliValue()/4, quarter.Format)
		}
		g.allocate(shared)
	}
}

// allocate makes a claim with the result, or adds it to the last claim.
func (g *generator) allocate(result resourceapi.DeviceRequestAllocationResult) {
	result.Request = "r"
	if last := len(g.p.Allocated) - 1; last >= 0 && g.chance(30) {
		devices := &g.p.Allocated[last].Status.Allocation.Devices
		devices.Results = append(devices.Results, result)
		return
	}
	name := fmt.Sprintf("old-%d", len(g.p.Allocated))
	g.p.Allocated = append(g.p.Allocated, resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1"},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result}},
		}},
	})
}

// addHistory adds a past without effect: slices published late, claims that came and went.
func (g *generator) addHistory() {
	if !g.knobs[history] {
		return
	}
	past := *g.p
	g.p.Allocated = nil
	g.knobs[inUse] = true
	g.addUse()
	past.Allocated, g.p.Allocated = g.p.Allocated, past.Allocated
	h := &problem.History{}
	g.p.History = h
	for i := range past.Allocated {
		past.Allocated[i].Name = "released-" + past.Allocated[i].Name
		past.Allocated[i].UID = types.UID(past.Allocated[i].Name)
	}
	h.Released = past.Allocated
	for i := range g.p.Slices {
		if g.chance(60) {
			h.Slices = append(h.Slices, g.p.Slices[i].Name)
		}
	}
}
