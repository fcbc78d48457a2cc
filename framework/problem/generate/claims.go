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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// addClaims requests about as much as there is.
func (g *generator) addClaims() {
	claims, requests := 1, 1
	if g.knobs[severalClaims] {
		claims = g.between(2, 3)
	}
	if g.knobs[severalRequests] || g.knobs[alternatives] {
		requests = g.between(1, 3)
	}
	left := g.supply()
	for i := range claims {
		name := fmt.Sprintf("claim-%d", i)
		claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), ResourceVersion: "1"}}
		for r := range requests {
			open := (claims-i)*requests - r
			count := max(1, left/open)
			if open > 1 && g.chance(50) {
				count = g.between(1, count+1)
			}
			left = max(0, left-count)
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, g.request(fmt.Sprintf("r%d", r), count))
		}
		g.addConstraints(&claim)
		g.addConfig(&claim)
		g.p.Claims = append(g.p.Claims, claim)
	}
}

// supply estimates the number of available devices.
func (g *generator) supply() int {
	devices, used := 0, 0
	for i := range g.p.Slices {
		for d := range g.p.Slices[i].Spec.Devices {
			devices++
			if ptr.Deref(g.p.Slices[i].Spec.Devices[d].AllowMultipleAllocations, false) && (g.knobs[severalClaims] || g.knobs[severalRequests]) {
				devices++
			}
		}
	}
	for i := range g.p.Allocated {
		used += len(g.p.Allocated[i].Status.Allocation.Devices.Results)
	}
	left := max(1, devices-used)
	for _, k := range []knob{classSelectors, requestSelectors, taints, matchAttribute, distinctAttribute, counters} {
		if g.knobs[k] && g.chance(60) {
			left = max(1, left*2/3)
		}
	}
	return max(1, left+pick(g, -2, -1, -1, 0, 0, 0, 0, 1, 1))
}

// request requests count devices, or alternatives of about that size.
func (g *generator) request(name string, count int) resourceapi.DeviceRequest {
	if !g.knobs[alternatives] || g.chance(25) {
		return resourceapi.DeviceRequest{Name: name, Exactly: g.exactly(count)}
	}
	request := resourceapi.DeviceRequest{Name: name}
	for i := range g.between(2, 4) {
		n := max(1, count+pick(g, -2, -1, 0, 1, 2)-i)
		exact := g.exactly(n)
		request.FirstAvailable = append(request.FirstAvailable, resourceapi.DeviceSubRequest{
			Name:            fmt.Sprintf("s%d", i),
			DeviceClassName: exact.DeviceClassName,
			Selectors:       exact.Selectors,
			AllocationMode:  exact.AllocationMode,
			Count:           exact.Count,
			Tolerations:     exact.Tolerations,
			Capacity:        exact.Capacity,
		})
	}
	return request
}

func (g *generator) exactly(count int) *resourceapi.ExactDeviceRequest {
	exact := &resourceapi.ExactDeviceRequest{
		DeviceClassName: pick(g, g.p.Classes...).Name,
		Selectors:       g.selectors(requestSelectors),
		AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
		Count:           int64(count),
		Tolerations:     g.tolerations(),
		Capacity:        g.capacityRequest(),
	}
	if g.knobs[allDevices] && g.chance(45) {
		exact.AllocationMode, exact.Count = resourceapi.DeviceAllocationModeAll, 0
	}
	// With counters upstream has a bug (kubernetes#140729): a comparison of allocators leaves them out.
	if g.knobs[adminAccess] && (g.stored || !g.knobs[counters]) && g.chance(45) {
		exact.AdminAccess = ptr.To(g.chance(90))
	}
	return exact
}

func (g *generator) tolerations() []resourceapi.DeviceToleration {
	if !g.knobs[taints] || g.chance(40) {
		return nil
	}
	var all []resourceapi.DeviceToleration
	for range g.between(1, 2) {
		toleration := resourceapi.DeviceToleration{
			Key:      pick(g, "broken", "reserved"),
			Operator: resourceapi.DeviceTolerationOpExists,
			Effect:   pick(g, "", "", resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute),
		}
		switch {
		case g.chance(40):
			toleration.Operator, toleration.Value = pick(g, "", resourceapi.DeviceTolerationOpEqual), pick(g, "", "yes", "no")
		case g.chance(15):
			toleration.Key = ""
		}
		if toleration.Effect == resourceapi.DeviceTaintEffectNoExecute && g.chance(30) {
			toleration.TolerationSeconds = ptr.To(int64(60))
		}
		all = append(all, toleration)
	}
	return all
}
