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

// addFuture adds something unknown to this version, alpha, or missing.
func (g *generator) addFuture() {
	if g.knobs[manyResults] {
		g.askForTooMany()
	}
	if !g.knobs[future] {
		return
	}
	claim := &g.p.Claims[g.IntN(len(g.p.Claims))]
	request := &claim.Spec.Devices.Requests[g.IntN(len(claim.Spec.Devices.Requests))]
	exact := request.Exactly
	if exact == nil {
		exact = &resourceapi.ExactDeviceRequest{}
	}
	switch g.IntN(10) {
	case 0:
		exact.AllocationMode = "Unheard"
	case 1:
		exact.AllocationMode = ""
	case 2:
		exact.DeviceClassName = "gone"
	case 3:
		exact.DeviceClassName = ""
	case 4:
		exact.Selectors = append(exact.Selectors, resourceapi.DeviceSelector{})
	case 5:
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, resourceapi.DeviceConstraint{})
	case 6:
		exact.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "example.com/x", Expression: "1"}}
	case 7:
		request.Exactly, request.FirstAvailable = nil, nil
	case 8:
		exact.Count = pick[int64](g, 0, 33, 1<<40)
	default:
		g.groupDevices()
	}
}

// groupDevices uses compatibility groups, an alpha feature.
func (g *generator) groupDevices() {
	for i := range g.p.Slices {
		for d := range g.p.Slices[i].Spec.Devices {
			for c := range g.p.Slices[i].Spec.Devices[d].ConsumesCounters {
				g.p.Slices[i].Spec.Devices[d].ConsumesCounters[c].CompatibilityGroups = []string{"half"}
				return
			}
		}
	}
}

// askForTooMany makes claims reach the limit of results.
func (g *generator) askForTooMany() {
	limit := resourceapi.AllocationResultsMaxSize
	for i := range g.p.Claims {
		claim := &g.p.Claims[i]
		for r := range claim.Spec.Devices.Requests {
			request := &claim.Spec.Devices.Requests[r]
			if request.Exactly != nil {
				if request.Exactly.Count > int64(limit) {
					request.Exactly.Count = int64(limit)
				}
				continue
			}
			request.FirstAvailable[0].Count = int64(limit - r + pick(g, -2, -1, 0, 1, 2))
		}
	}
	// Shares make many results out of few devices.
	claim := &g.p.Claims[0]
	if len(claim.Spec.Devices.Requests) == 1 && claim.Spec.Devices.Requests[0].Exactly != nil && g.chance(70) {
		for i := range g.p.Slices {
			for d := range g.p.Slices[i].Spec.Devices {
				g.p.Slices[i].Spec.Devices[d].AllowMultipleAllocations = ptr.To(true)
			}
		}
		request := claim.Spec.Devices.Requests[0]
		for r := range g.between(3, 6) {
			next := *request.DeepCopy()
			next.Name = pick(g, "x", "y") + string(rune('a'+r))
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, next)
		}
	}
}
