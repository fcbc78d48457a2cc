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

package pools

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ShareableSummary has a pool with shareable devices and one not shareable. A device with several
// allocations counts once as allocated.
var ShareableSummary = harness.Case{Meta: spec.Meta{
	ID:       "pools/shareable-summary",
	Checks:   "A pool status request reports shareable devices in use, and total, used and free capacity.",
	Requires: []spec.RequirementID{"kep-5677/shareable-summary", "kep-5677/pool-allocated"},
	Needs:    needs(spec.ConsumableCapacity),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	device := func(name string, shared bool, capacities map[resourceapi.QualifiedName]string) resourceapi.Device {
		d := resourceapi.Device{Name: name, AllowMultipleAllocations: ptr.To(shared), Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
		for key, value := range capacities {
			d.Capacity[key] = resourceapi.DeviceCapacity{Value: resource.MustParse(value)}
		}
		return d
	}
	t.Publish("pool", "",
		device("both", true, map[resourceapi.QualifiedName]string{"memory": "10Gi", "cores": "4"}), device("memory", true, map[resourceapi.QualifiedName]string{"memory": "20Gi"}),
		device("alone", false, map[resourceapi.QualifiedName]string{"memory": "40Gi"}))
	const line = `pool on "", generation 1, 1 slices: 3 devices, `
	expectAnswer(t, "an unused pool", about(t), gomega.Equal([]string{
		"Complete of 1 pools", line + "0 allocated, 3 available, 0 unavailable; shared: 2 fully, 0 partially available, cores 4 - 0 = 4, memory 30Gi - 0 = 30Gi",
	}))

	allocate(t, "first", class, "pool", shareOf("both", "b5a2e4ba-4a5a-4a7b-8a54-31a8a8a9c001", map[resourceapi.QualifiedName]string{"memory": "3Gi", "cores": "1"}))
	allocate(t, "second", class, "pool", shareOf("both", "b5a2e4ba-4a5a-4a7b-8a54-31a8a8a9c002", map[resourceapi.QualifiedName]string{"memory": "1Gi", "cores": "1"}))
	expectAnswer(t, "a pool with one device used twice", about(t), gomega.Equal([]string{
		"Complete of 1 pools", line + "1 allocated, 2 available, 0 unavailable; shared: 1 fully, 1 partially available, cores 4 - 2 = 2, memory 30Gi - 4Gi = 26Gi",
	}))
}}

// shareOf returns one allocation of a shareable device with its consumed capacity.
func shareOf(device, id string, uses map[resourceapi.QualifiedName]string) resourceapi.DeviceRequestAllocationResult {
	result := resourceapi.DeviceRequestAllocationResult{Device: device, ShareID: ptr.To(types.UID(id)), ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{}}
	for key, value := range uses {
		result.ConsumedCapacity[key] = resource.MustParse(value)
	}
	return result
}
