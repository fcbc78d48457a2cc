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
	"k8s.io/utils/ptr"
)

// addConstraints constrains the devices of one, some or all requests.
func (g *generator) addConstraints(claim *resourceapi.ResourceClaim) {
	add := func(constraint resourceapi.DeviceConstraint) {
		if g.chance(40) {
			constraint.Requests = g.requestNames(claim)
		}
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, constraint)
	}
	if g.knobs[matchAttribute] && g.chance(85) {
		for range pick(g, 1, 1, 1, 2) {
			add(resourceapi.DeviceConstraint{MatchAttribute: g.attributeName()})
		}
	}
	if g.knobs[distinctAttribute] && g.chance(85) {
		add(resourceapi.DeviceConstraint{DistinctAttribute: g.attributeName()})
	}
}

func (g *generator) attributeName() *resourceapi.FullyQualifiedName {
	if g.chance(40) {
		return ptr.To(resourceapi.FullyQualifiedName(sharedAttribute))
	}
	driver := pick(g, g.drivers...)
	name := pick(g, "model", "numa", "numa", "ecc", "firmware")
	if g.chance(2) {
		name = "unheard"
	}
	return ptr.To(resourceapi.FullyQualifiedName(driver + "/" + name))
}
