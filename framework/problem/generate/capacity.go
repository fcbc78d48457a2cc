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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

func quantities(texts ...string) []resource.Quantity {
	var all []resource.Quantity
	for _, text := range texts {
		all = append(all, quantity(text))
	}
	return all
}

// addCapacity makes a device shareable, mostly.
func (g *generator) addCapacity(d *resourceapi.Device, driver string) {
	if g.chance(85) {
		d.AllowMultipleAllocations = ptr.To(g.chance(95))
	}
	d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
	if g.chance(92) {
		name := resourceapi.QualifiedName("memory")
		if g.chance(10) {
			name = resourceapi.QualifiedName(driver + "/memory")
		}
		d.Capacity[name] = resourceapi.DeviceCapacity{Value: quantity(pick(g, "4Gi", "8Gi", "10Gi", "16384Mi")), RequestPolicy: g.memoryPolicy()}
	}
	if g.chance(50) {
		d.Capacity["cores"] = resourceapi.DeviceCapacity{Value: quantity(pick(g, "1", "2", "2500m", "4")), RequestPolicy: g.corePolicy()}
	}
}

func (g *generator) memoryPolicy() *resourceapi.CapacityRequestPolicy {
	if !g.knobs[sharePolicies] {
		return nil
	}
	switch g.IntN(5) {
	case 0:
		return nil
	case 1:
		return &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity(pick(g, "1Gi", "2Gi", "0")))}
	case 2:
		return &resourceapi.CapacityRequestPolicy{
			Default:     ptr.To(quantity("2Gi")),
			ValidValues: quantities("1Gi", "2Gi", "4Gi"),
		}
	case 3:
		return &resourceapi.CapacityRequestPolicy{
			Default:    ptr.To(quantity("1Gi")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(quantity("1Gi")), Max: g.sometimes("6Gi")},
		}
	}
	return &resourceapi.CapacityRequestPolicy{
		Default: ptr.To(quantity("1Gi")),
		ValidRange: &resourceapi.CapacityRequestPolicyRange{
			Min: ptr.To(quantity("1Gi")), Max: g.sometimes("7Gi"), Step: ptr.To(quantity(pick(g, "1Gi", "1536Mi"))),
		},
	}
}

// corePolicy may have fractional limits.
func (g *generator) corePolicy() *resourceapi.CapacityRequestPolicy {
	if !g.knobs[sharePolicies] || g.chance(15) {
		return nil
	}
	switch g.IntN(4) {
	case 0:
		return &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity(pick(g, "500m", "1")))}
	case 1:
		return &resourceapi.CapacityRequestPolicy{Default: ptr.To(quantity("500m")), ValidValues: quantities("250m", "500m", "1", "1500m")}
	case 2:
		return &resourceapi.CapacityRequestPolicy{
			Default: ptr.To(quantity("1")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{
				Min: ptr.To(quantity("1")), Max: g.sometimes("3"), Step: g.sometimes("1"),
			},
		}
	}
	return &resourceapi.CapacityRequestPolicy{
		Default: ptr.To(quantity("600m")),
		ValidRange: &resourceapi.CapacityRequestPolicyRange{
			Min: ptr.To(quantity("100m")), Max: g.sometimes("2100m"), Step: ptr.To(quantity(pick(g, "250m", "500m"))),
		},
	}
}

func (g *generator) sometimes(text string) *resource.Quantity {
	if g.chance(50) {
		return nil
	}
	return ptr.To(quantity(text))
}

// capacityRequest requests a device's capacity, sometimes more than any device has, or an unknown
// one.
func (g *generator) capacityRequest() *resourceapi.CapacityRequirements {
	if !g.knobs[shares] && !g.chance(3) || g.chance(25) {
		return nil
	}
	requests := map[resourceapi.QualifiedName]resource.Quantity{}
	if g.chance(70) {
		requests["memory"] = quantity(pick(g, "0", "100Mi", "1Gi", "1Gi", "1536Mi", "2Gi", "2Gi", "2Gi", "3Gi", "3Gi", "4Gi", "4Gi", "5Gi", "8Gi", "20Gi"))
	}
	if g.chance(20) {
		requests["cores"] = quantity(pick(g, "100m", "350m", "400m", "500m", "1", "1", "1100m", "1500m", "2", "3"))
	}
	missing := g.chance(2)
	switch {
	case missing:
		requests["bandwidth"] = quantity("1")
	case g.chance(2):
		requests["cores"] = quantity(pick(g, "100u", "1500100u"))
	case g.knobs[sharePolicies] && g.chance(1):
		requests["memory"] = quantity("10E")
	}
	return &resourceapi.CapacityRequirements{Requests: requests}
}
