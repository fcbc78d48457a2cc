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

package explore

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// localCapacities removes the driver's domain from capacity names.
func localCapacities(p *problem.Problem) bool {
	found := false
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		for d := range spec.Devices {
			capacity := spec.Devices[d].Capacity
			for name, c := range capacity {
				if local, ok := strings.CutPrefix(string(name), spec.Driver+"/"); ok {
					delete(capacity, name)
					capacity[resourceapi.QualifiedName(local)] = c
					found = true
				}
			}
		}
	}
	return found
}

// ordinaryRequests removes requests with admin access, and claims left without requests. Pods with no
// other claims keep them, unless devices are shared.
func ordinaryRequests(p *problem.Problem) bool {
	found := false
	gone := map[string]bool{}
	for i := range p.Claims {
		claim := &p.Claims[i]
		if !slices.ContainsFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return !problem.WantsAdminAccess(r) }) {
			gone[claim.Name] = true
			continue
		}
		found = withoutAdmin(&claim.Spec.Devices) || found
	}
	shared := slices.ContainsFunc(p.Slices, func(s resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return ptr.Deref(d.AllowMultipleAllocations, false) })
	})
	pods := len(p.Pods)
	p.Pods = slices.DeleteFunc(p.Pods, func(pod problem.Pod) bool {
		return shared && !slices.ContainsFunc(pod.Claims, func(name string) bool { return !gone[name] })
	})
	found = found || len(p.Pods) < pods
	for i := range p.Pods {
		pod := &p.Pods[i]
		others := slices.DeleteFunc(slices.Clone(pod.Claims), func(name string) bool { return gone[name] })
		if len(others) > 0 && len(others) < len(pod.Claims) {
			pod.Claims, found = others, true
		}
	}
	return found
}

// withoutAdmin removes requests with admin access, and references to them.
func withoutAdmin(devices *resourceapi.DeviceClaim) bool {
	gone := map[string]bool{}
	for _, r := range devices.Requests {
		gone[r.Name] = problem.WantsAdminAccess(r)
	}
	all := len(devices.Requests)
	devices.Requests = slices.DeleteFunc(devices.Requests, problem.WantsAdminAccess)
	// left returns the remaining names, and false if there were others only.
	left := func(names []string) ([]string, bool) {
		others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return gone[name] })
		return others, len(names) == 0 || len(others) > 0
	}
	var constraints []resourceapi.DeviceConstraint
	for _, c := range devices.Constraints {
		if names, ok := left(c.Requests); ok {
			c.Requests = names
			constraints = append(constraints, c)
		}
	}
	var config []resourceapi.DeviceClaimConfiguration
	for _, c := range devices.Config {
		if names, ok := left(c.Requests); ok {
			c.Requests = names
			config = append(config, c)
		}
	}
	devices.Constraints, devices.Config = constraints, config
	return len(devices.Requests) < all
}

// oneOfAll turns requests for all devices into requests for one, where they are constrained or a pool
// is incomplete or invalid.
func oneOfAll(p *problem.Problem) bool {
	found := false
	one := func(mode *resourceapi.DeviceAllocationMode, count *int64) {
		if *mode == resourceapi.DeviceAllocationModeAll {
			*mode, *count, found = resourceapi.DeviceAllocationModeExactCount, 1, true
		}
	}
	broken := brokenPools(p)
	for i := range p.Claims {
		devices := &p.Claims[i].Spec.Devices
		if !broken && len(devices.Constraints) == 0 {
			continue
		}
		for r := range devices.Requests {
			if exact := devices.Requests[r].Exactly; exact != nil {
				one(&exact.AllocationMode, &exact.Count)
			}
			for s := range devices.Requests[r].FirstAvailable {
				sub := &devices.Requests[r].FirstAvailable[s]
				one(&sub.AllocationMode, &sub.Count)
			}
		}
	}
	return found
}

// brokenPools reports whether a pool is incomplete, or has two devices of one name.
func brokenPools(p *problem.Problem) bool {
	newest := p.Copy()
	newest.NewestSlices()
	type pool struct{ driver, name string }
	published, names := map[pool]int64{}, map[pool]map[string]bool{}
	for i := range newest.Slices {
		s := &newest.Slices[i].Spec
		id := pool{s.Driver, s.Pool.Name}
		published[id]++
		if names[id] == nil {
			names[id] = map[string]bool{}
		}
		for d := range s.Devices {
			if names[id][s.Devices[d].Name] {
				return true
			}
			names[id][s.Devices[d].Name] = true
		}
	}
	return slices.ContainsFunc(newest.Slices, func(s resourceapi.ResourceSlice) bool {
		return published[pool{s.Spec.Driver, s.Spec.Pool.Name}] != s.Spec.Pool.ResourceSliceCount
	})
}
