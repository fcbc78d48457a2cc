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

// RequestLimit creates claims and templates at their limits, and one beyond.
var RequestLimit = harness.Case{Meta: spec.Meta{
	ID:       "api/request-limit",
	Checks:   "Lists in claims and templates are accepted with 32 entries and rejected with 33.",
	Requires: []spec.RequirementID{"kep-4381/claim-list-limits"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	judge(t, func() *resourceapi.ResourceClaimSpec { return &validClaim().Spec }, func(s *resourceapi.ResourceClaimSpec) error {
		claim := validClaim()
		claim.Spec = *s
		return createClaim(t)(claim)
	}, claimLimits("spec.devices")...)
	templates := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace)
	judge(t, func() *resourceapi.ResourceClaimSpec { return &validClaim().Spec }, func(s *resourceapi.ResourceClaimSpec) error {
		return create(t, templates)(objects.Template("template", &resourceapi.ResourceClaim{Spec: *s}))
	}, claimLimits("spec.spec.devices")...)
}}

// claimLimits are the limits of lists in the spec of a claim, below this field.
func claimLimits(field string) []rule[*resourceapi.ResourceClaimSpec] {
	requests := func(n int) func(*resourceapi.ResourceClaimSpec) {
		return func(s *resourceapi.ResourceClaimSpec) {
			s.Devices.Requests = numbered(n, func(i int) resourceapi.DeviceRequest { return objects.Request(name("req", i), "class") })
		}
	}
	constraints := func(n int) func(*resourceapi.ResourceClaimSpec) {
		return func(s *resourceapi.ResourceClaimSpec) {
			s.Devices.Constraints = numbered(n, func(int) resourceapi.DeviceConstraint {
				return resourceapi.DeviceConstraint{MatchAttribute: ptr.To[resourceapi.FullyQualifiedName]("example.com/model")}
			})
		}
	}
	configs := func(n int) func(*resourceapi.ResourceClaimSpec) {
		return func(s *resourceapi.ResourceClaimSpec) {
			s.Devices.Config = numbered(n, func(int) resourceapi.DeviceClaimConfiguration {
				return objects.ClaimParameters(driver, map[string]string{"a": "b"})
			})
		}
	}
	selectors := func(n int) func(*resourceapi.ResourceClaimSpec) {
		return func(s *resourceapi.ResourceClaimSpec) {
			s.Devices.Requests[0].Exactly.Selectors = numbered(n, func(int) resourceapi.DeviceSelector { return objects.Selector("true") })
		}
	}
	// named is a list of names, at most 32 in a claim.
	named := func(n int) []string { return numbered(n, func(i int) string { return name("req", i) }) }
	constraining := func(n int) func(*resourceapi.ResourceClaimSpec) {
		return func(s *resourceapi.ResourceClaimSpec) {
			requests(resourceapi.DeviceRequestsMaxSize)(s)
			constraints(1)(s)
			s.Devices.Constraints[0].Requests = named(n)
		}
	}
	configuring := func(n int) func(*resourceapi.ResourceClaimSpec) {
		return func(s *resourceapi.ResourceClaimSpec) {
			requests(resourceapi.DeviceRequestsMaxSize)(s)
			configs(1)(s)
			s.Devices.Config[0].Requests = named(n)
		}
	}
	return []rule[*resourceapi.ResourceClaimSpec]{
		{"a constraint of 33 requests", constraining(resourceapi.DeviceRequestsMaxSize), constraining(resourceapi.DeviceRequestsMaxSize + 1),
			field + ".constraints[0].requests", tooMany},
		{"a configuration of 33 requests", configuring(resourceapi.DeviceRequestsMaxSize), configuring(resourceapi.DeviceRequestsMaxSize + 1),
			field + ".config[0].requests", tooMany},
		{"33 requests", requests(resourceapi.DeviceRequestsMaxSize), requests(resourceapi.DeviceRequestsMaxSize + 1), field + ".requests", tooMany},
		{"33 constraints", constraints(resourceapi.DeviceConstraintsMaxSize), constraints(resourceapi.DeviceConstraintsMaxSize + 1), field + ".constraints", tooMany},
		{"33 configurations", configs(resourceapi.DeviceConfigMaxSize), configs(resourceapi.DeviceConfigMaxSize + 1), field + ".config", tooMany},
		{"33 selectors", selectors(resourceapi.DeviceSelectorsMaxSize), selectors(resourceapi.DeviceSelectorsMaxSize + 1),
			field + ".requests[0].exactly.selectors", tooMany},
	}
}
