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

package difftest

import (
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// twinDomain is the domain of attributes that no generated expression uses.
const twinDomain = "twin.difftest.example.com"

// withTwins gives each request with admin access devices of its own: a copy of each pool. So they take
// nothing from others. Constraints keep a claim from using a device and its twin.
func withTwins(p *problem.Problem) *problem.Problem {
	c := p.Copy()
	ids := map[inventory.DeviceID]int64{}
	for i := range c.Slices {
		markTwins(&c.Slices[i].Spec, c.Slices[i].Spec.Pool.Name, "", ids)
	}
	found := false
	for i := range c.Claims {
		for _, request := range c.Claims[i].Spec.Devices.Requests {
			if !problem.WantsAdminAccess(request) {
				continue
			}
			found = true
			for k := range p.Slices {
				slice := p.Slices[k].DeepCopy()
				slice.Name += twinOf(i, request.Name)
				slice.Spec.Pool.Name += twinOf(i, request.Name)
				markTwins(&slice.Spec, p.Slices[k].Spec.Pool.Name, twinOf(i, request.Name), ids)
				c.Slices = append(c.Slices, *slice)
			}
		}
		toTwins(i, &c.Claims[i].Spec.Devices)
	}
	if !found {
		return nil
	}
	return c
}

// twinOf is the suffix of the pools and slices of a request with admin access. It keeps their order.
func twinOf(claim int, request string) string { return fmt.Sprintf("\x01%d/%s", claim, request) }

// markTwins adds the attributes for selectors and constraints. A device and its twins have the same ID,
// unless the device is shared.
func markTwins(spec *resourceapi.ResourceSliceSpec, pool, twin string, ids map[inventory.DeviceID]int64) {
	for d := range spec.Devices {
		device := &spec.Devices[d]
		id := inventory.DeviceID{Driver: spec.Driver, Pool: pool, Device: device.Name}
		if ptr.Deref(device.AllowMultipleAllocations, false) {
			id.Pool += twin
		}
		if _, ok := ids[id]; !ok {
			ids[id] = int64(len(ids))
		}
		device.Attributes = maps.Clone(device.Attributes)
		if device.Attributes == nil {
			device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		device.Attributes[twinDomain+"/twin"] = resourceapi.DeviceAttribute{StringValue: &twin}
		device.Attributes[twinDomain+"/id"] = resourceapi.DeviceAttribute{IntValue: ptr.To(ids[id])}
	}
}

// toTwins restricts requests with admin access to their twins, and others to the originals.
func toTwins(claim int, devices *resourceapi.DeviceClaim) {
	for r := range devices.Requests {
		request := &devices.Requests[r]
		twin := ""
		if problem.WantsAdminAccess(*request) {
			twin = twinOf(claim, request.Name)
		}
		only := resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.attributes[%q].twin == %q", twinDomain, twin)}}
		if request.Exactly != nil {
			request.Exactly.Selectors = slices.Insert(request.Exactly.Selectors, 0, only)
		}
		for s := range request.FirstAvailable {
			request.FirstAvailable[s].Selectors = slices.Insert(request.FirstAvailable[s].Selectors, 0, only)
		}
	}
	for i, request := range devices.Requests {
		for k, other := range devices.Requests {
			if problem.WantsAdminAccess(request) && (k > i || !problem.WantsAdminAccess(other)) {
				devices.Constraints = append(devices.Constraints, resourceapi.DeviceConstraint{
					Requests: []string{request.Name, other.Name}, DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName(twinDomain + "/id")),
				})
			}
		}
	}
}

// inTwins returns an answer with twins in place of devices with admin access.
func inTwins(a Answer) Answer {
	var allocations []resourceapi.AllocationResult
	for i := range a.Allocations {
		allocation := *a.Allocations[i].DeepCopy()
		for r := range allocation.Devices.Results {
			if result := &allocation.Devices.Results[r]; ptr.Deref(result.AdminAccess, false) {
				result.Pool += twinOf(i, result.Request)
			}
		}
		allocations = append(allocations, allocation)
	}
	a.Allocations = allocations
	return a
}
