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
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimAlternatives writes requests with invalid alternatives. References to these have the form
// <request>/<alternative>.
var ClaimAlternatives = harness.Case{Meta: spec.Meta{
	ID:     "api/claim-alternatives",
	Checks: "A request is exact or has one to eight uniquely named alternatives without admin access; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4816/exactly-or-alternatives", "kep-4816/alternatives-8", "kep-4816/no-admin-access", "kep-4816/reference-format",
		"kep-4816/alternative-name-label",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	judge(t, claimWithAlternatives, createClaim(t), alternativeRules()...)

	t.Step("write an alternative with a field not allowed in alternatives")
	const before = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"claim"},"spec":{"devices":{"requests":[` +
		`{"name":"req","firstAvailable":[{"name":"first","deviceClassName":"class"`
	const after = `}]}]}}}`
	t.NoError(createRaw(t, "resourceclaims", before+after), "create a claim with an alternative")
	notKnown(t, createRaw(t, "resourceclaims", before+`,"adminAccess":true`+after), "spec.devices.requests[0].firstAvailable[0].adminAccess")
}}

func claimWithAlternatives() *resourceapi.ResourceClaim {
	c := objects.Claim("claim", resourceapi.DeviceRequest{Name: "req", FirstAvailable: alternatives(2)})
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To[resourceapi.FullyQualifiedName]("example.com/model")}}
	c.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{objects.ClaimParameters(driver, map[string]string{"a": "b"})}
	return c
}

func alternatives(n int) []resourceapi.DeviceSubRequest {
	return numbered(n, func(i int) resourceapi.DeviceSubRequest {
		return resourceapi.DeviceSubRequest{Name: name("sub", i), DeviceClassName: "class"}
	})
}

func alternativeRules() []rule[*resourceapi.ResourceClaim] {
	request := func(change func(*resourceapi.DeviceRequest)) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { change(&c.Spec.Devices.Requests[0]) }
	}
	several := func(n int) func(*resourceapi.ResourceClaim) {
		return request(func(r *resourceapi.DeviceRequest) { r.FirstAvailable = alternatives(n) })
	}
	first := func(change func(*resourceapi.DeviceSubRequest)) func(*resourceapi.ResourceClaim) {
		return request(func(r *resourceapi.DeviceRequest) { change(&r.FirstAvailable[0]) })
	}
	named := func(name string) func(*resourceapi.ResourceClaim) {
		return first(func(s *resourceapi.DeviceSubRequest) { s.Name = name })
	}
	of := func(class string) func(*resourceapi.ResourceClaim) {
		return first(func(s *resourceapi.DeviceSubRequest) { s.DeviceClassName = class })
	}
	counting := func(mode resourceapi.DeviceAllocationMode, count int64) func(*resourceapi.ResourceClaim) {
		return first(func(s *resourceapi.DeviceSubRequest) { s.AllocationMode, s.Count = mode, count })
	}
	selected := func(expression string) func(*resourceapi.ResourceClaim) {
		return first(func(s *resourceapi.DeviceSubRequest) {
			s.Selectors = []resourceapi.DeviceSelector{objects.Selector(expression)}
		})
	}
	constrained := func(request string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Constraints[0].Requests = []string{request} }
	}
	configured := func(request string) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Config[0].Requests = []string{request} }
	}
	exact := &resourceapi.ExactDeviceRequest{DeviceClassName: "class"}
	neither := request(func(r *resourceapi.DeviceRequest) { r.FirstAvailable = nil })
	both := request(func(r *resourceapi.DeviceRequest) { r.Exactly = exact })
	either := request(func(r *resourceapi.DeviceRequest) { r.Exactly, r.FirstAvailable = exact, nil })
	const field, sub = "spec.devices.requests[0]", "spec.devices.requests[0].firstAvailable[0]"
	const constraint, config = "spec.devices.constraints[0].requests[0]", "spec.devices.config[0].requests[0]"
	return []rule[*resourceapi.ResourceClaim]{
		{"neither exact nor alternatives", either, neither, field, ""},
		{"an exact request with alternatives", several(1), both, field, invalid},
		{"nine alternatives", several(8), several(9), field + ".firstAvailable", tooMany},
		{"two alternatives of one name", named("first"), named("sub-1"), field + ".firstAvailable[1] or " + field + ".firstAvailable[1].name", duplicate},
		{"no name", named("f"), named(""), sub + ".name", ""},
		{"a name of 64 characters", named(characters(63)), named(characters(64)), sub + ".name", invalid},
		{"a name with a capital", named("sub"), named("Sub"), sub + ".name", invalid},
		{"a name with a slash", named("sub"), named("s/ub"), sub + ".name", invalid},
		{"no class", of("c"), of(""), sub + ".deviceClassName", required},
		{"a count below zero", counting("", 1), counting("", -1), sub + ".count", invalid},
		{"a count of all", counting("All", 0), counting("All", 1), sub + ".count", invalid},
		{"an unknown mode", counting("All", 0), counting("Some", 0), sub + ".allocationMode", notSupported},
		{"an invalid expression", selected("true"), selected("truth"), sub + ".selectors[0].cel.expression", invalid},
		{"a constraint of a nonexistent alternative", constrained("req/sub-1"), constrained("req/sub-2"), constraint, invalid},
		{"a constraint of an alternative without its request", constrained("req/sub-1"), constrained("sub-1"), constraint, invalid},
		{"a constraint of something below an alternative", constrained("req/sub-1"), constrained("req/sub-1/sub-1"), constraint, invalid},
		{"a configuration of a nonexistent alternative", configured("req/sub-1"), configured("req/sub-2"), config, invalid},
		{"a configuration of an alternative without its request", configured("req"), configured("sub-1"), config, invalid},
	}
}
