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

package reduce

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

// claimCuts reduce the requests of claims.
func claimCuts() []cut {
	cuts := []cut{
		dropClaim,
		ofClaims(func(d *resourceapi.DeviceClaim) int { return len(d.Requests) },
			func(d *resourceapi.DeviceClaim, i int) { drop(&d.Requests, i) }),
		ofClaims(func(d *resourceapi.DeviceClaim) int { return len(d.Constraints) },
			func(d *resourceapi.DeviceClaim, i int) { drop(&d.Constraints, i) }),
		ofClaims(func(d *resourceapi.DeviceClaim) int { return len(d.Config) },
			func(d *resourceapi.DeviceClaim, i int) { drop(&d.Config, i) }),
		ofRequests(func(r *resourceapi.DeviceRequest) int { return len(r.FirstAvailable) },
			func(r *resourceapi.DeviceRequest, i int) { drop(&r.FirstAvailable, i) }),
		ofRequests(func(r *resourceapi.DeviceRequest) int { return len(r.FirstAvailable) }, settle),
	}
	for _, change := range simpler() {
		cuts = append(cuts,
			ofRequests(func(r *resourceapi.DeviceRequest) int { return min(1, len(r.FirstAvailable)+1) }, func(r *resourceapi.DeviceRequest, _ int) {
				if r.Exactly != nil {
					change(r.Exactly)
				}
			}),
			ofRequests(func(r *resourceapi.DeviceRequest) int { return len(r.FirstAvailable) }, func(r *resourceapi.DeviceRequest, i int) {
				settled := resourceapi.DeviceRequest{FirstAvailable: r.FirstAvailable}
				settle(&settled, i)
				change(settled.Exactly)
				s := &r.FirstAvailable[i]
				s.Count, s.Selectors, s.Tolerations, s.Capacity = settled.Exactly.Count, settled.Exactly.Selectors, settled.Exactly.Tolerations, settled.Exactly.Capacity
			}))
	}
	return append(cuts,
		ofClaims(func(d *resourceapi.DeviceClaim) int { return len(d.Constraints) },
			func(d *resourceapi.DeviceClaim, i int) { d.Constraints[i].Requests = nil }),
		ofClaims(func(d *resourceapi.DeviceClaim) int { return len(d.Config) },
			func(d *resourceapi.DeviceClaim, i int) { d.Config[i].Requests = nil }))
}

// dropClaim removes a claim from the problem and its pods.
func dropClaim(p *problem.Problem, i int) bool {
	if i >= len(p.Claims) {
		return false
	}
	name := p.Claims[i].Name
	for pod := range p.Pods {
		p.Pods[pod].Claims = slices.DeleteFunc(p.Pods[pod].Claims, func(claim string) bool { return claim == name })
	}
	return drop(&p.Claims, i)
}

// simpler returns simplifications of one request. Those without effect cost one attempt per round
// and are no progress.
func simpler() []func(*resourceapi.ExactDeviceRequest) {
	type request = resourceapi.ExactDeviceRequest
	return []func(*request){
		func(r *request) { r.Count = max(1, r.Count/2) },
		func(r *request) { r.Count = max(1, r.Count-1) },
		func(r *request) { drop(&r.Selectors, 0) },
		func(r *request) { drop(&r.Selectors, 1) },
		func(r *request) { drop(&r.Tolerations, 0) },
		func(r *request) { drop(&r.Tolerations, 1) },
		func(r *request) { r.Capacity = nil },
		func(r *request) { r.AdminAccess = nil },
	}
}

// settle makes one alternative the only choice.
func settle(r *resourceapi.DeviceRequest, i int) {
	s := r.FirstAvailable[i]
	r.FirstAvailable = nil
	r.Exactly = &resourceapi.ExactDeviceRequest{
		DeviceClassName: s.DeviceClassName, Selectors: s.Selectors, AllocationMode: s.AllocationMode,
		Count: s.Count, Tolerations: s.Tolerations, Capacity: s.Capacity,
	}
}

func ofClaims(size func(*resourceapi.DeviceClaim) int, do func(*resourceapi.DeviceClaim, int)) cut {
	return func(p *problem.Problem, i int) bool {
		return nested(p.Claims, i,
			func(c *resourceapi.ResourceClaim) int { return size(&c.Spec.Devices) },
			func(c *resourceapi.ResourceClaim, i int) { do(&c.Spec.Devices, i) })
	}
}

func ofRequests(size func(*resourceapi.DeviceRequest) int, do func(*resourceapi.DeviceRequest, int)) cut {
	return ofClaims(
		func(d *resourceapi.DeviceClaim) int {
			n := 0
			for i := range d.Requests {
				n += size(&d.Requests[i])
			}
			return n
		},
		func(d *resourceapi.DeviceClaim, i int) { nested(d.Requests, i, size, do) })
}
