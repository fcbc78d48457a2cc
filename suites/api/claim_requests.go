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

package api

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimRequests writes claims with invalid requests.
var ClaimRequests = harness.Case{Meta: spec.Meta{
	ID:     "api/claim-requests",
	Checks: "Requests have unique names, a class, a known mode and a fitting count; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/class-required", "kep-4381/request-name-label", "kep-4381/mode-required-otherwise", "kep-4381/count-positive",
		"resource-v1/request-names-unique", "resource-v1/count-only-with-exact-count",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	judge(t, validClaim, createClaim(t), requestRules()...)
}}

func requestRules() []rule[*resourceapi.ResourceClaim] {
	named := func(name string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests[0].Name = name }
	}
	and := func(name string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, objects.Request(name, "class"))
		}
	}
	ofClass := func(name string) func(*resourceapi.ResourceClaim) {
		return onRequest(func(r *resourceapi.ExactDeviceRequest) { r.DeviceClassName = name })
	}
	counting := func(mode resourceapi.DeviceAllocationMode, count int64) func(*resourceapi.ResourceClaim) {
		return onRequest(func(r *resourceapi.ExactDeviceRequest) { r.AllocationMode, r.Count = mode, count })
	}
	const exact, all = resourceapi.DeviceAllocationModeExactCount, resourceapi.DeviceAllocationModeAll
	const request = "spec.devices.requests[0]"
	return []rule[*resourceapi.ResourceClaim]{
		{"no name", named("r"), named(""), request + ".name", ""},
		{"a name of 64 characters", named(characters(63)), named(characters(64)), request + ".name", invalid},
		{"a name with a capital", named("req"), named("Req"), request + ".name", invalid},
		{"a name with a dot", named("re-q"), named("re.q"), request + ".name", invalid},
		{"a name with a dash in the end", named("re-q"), named("req-"), request + ".name", invalid},
		{"a name with a slash", named("req"), named("r/eq"), request + ".name", invalid},
		{"two requests of one name", and("other"), and("req"), "spec.devices.requests[1] or spec.devices.requests[1].name", duplicate},
		{"no class", ofClass("c"), ofClass(""), request + ".exactly.deviceClassName", required},
		{"a class with a capital", ofClass("my-class"), ofClass("My-class"), request + ".exactly.deviceClassName", invalid},
		{"a class with a name of 254 characters", ofClass(characters(253)), ofClass(characters(254)), request + ".exactly.deviceClassName", ""},
		{"a count below zero", counting(exact, 1), counting(exact, -1), request + ".exactly.count", invalid},
		{"a count below zero without a mode", counting("", 1), counting("", -1), request + ".exactly.count", invalid},
		{"a count of all", counting(all, 0), counting(all, 1), request + ".exactly.count", invalid},
		{"an unknown mode", counting(all, 0), counting("Some", 0), request + ".exactly.allocationMode", notSupported},
		{"a mode in small letters", counting(all, 0), counting("all", 0), request + ".exactly.allocationMode", notSupported},
	}
}
