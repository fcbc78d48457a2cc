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

// ClaimConstraints writes invalid constraints and configurations: an attribute needs its domain, a configuration a
// driver and an object of at most 10 Ki.
var ClaimConstraints = harness.Case{Meta: spec.Meta{
	ID:     "api/claim-constraints",
	Checks: "Constraints and configuration have valid contents and name only requests of their claim; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/match-attribute-qualified", "resource-v1/references-exist", "kep-4381/config-one-field", "kep-4381/config-driver-name",
		"resource-v1/parameters-10ki",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	write := createClaim(t)
	judge(t, claimWithConstraint, write, constraintRules(t.Target().Gates[spec.ConsumableCapacity])...)
	judge(t, claimWithConfig, write, configRules()...)
}}

func claimWithConstraint() *resourceapi.ResourceClaim {
	c := objects.Claim("claim", objects.Request("req", "class"), objects.Request("other", "class"))
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To[resourceapi.FullyQualifiedName]("example.com/model")}}
	return c
}

func claimWithConfig() *resourceapi.ResourceClaim {
	c := objects.Claim("claim", objects.Request("req", "class"), objects.Request("other", "class"))
	c.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{objects.ClaimParameters(driver, map[string]string{"a": "b"})}
	return c
}

// constraintRules are those of constraints, with distinct attributes where the API has them.
func constraintRules(distinct bool) []rule[*resourceapi.ResourceClaim] {
	constraint := func(change func(*resourceapi.DeviceConstraint)) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { change(&c.Spec.Devices.Constraints[0]) }
	}
	matching := func(name resourceapi.FullyQualifiedName) func(*resourceapi.ResourceClaim) {
		return constraint(func(c *resourceapi.DeviceConstraint) { c.MatchAttribute = &name })
	}
	of := func(requests ...string) func(*resourceapi.ResourceClaim) {
		return constraint(func(c *resourceapi.DeviceConstraint) { c.Requests = requests })
	}
	const field, attribute = "spec.devices.constraints[0]", "spec.devices.constraints[0].matchAttribute"
	differing := func(name resourceapi.FullyQualifiedName) func(*resourceapi.ResourceClaim) {
		return constraint(func(c *resourceapi.DeviceConstraint) { c.MatchAttribute, c.DistinctAttribute = nil, &name })
	}
	none := attribute
	var more []rule[*resourceapi.ResourceClaim]
	if distinct {
		none = field
		more = []rule[*resourceapi.ResourceClaim]{
			{"a distinct attribute without domain", differing("example.com/model"), differing("model"), field + ".distinctAttribute", invalid},
			{"a distinct attribute with a dash", differing("example.com/the_model"), differing("example.com/the-model"), field + ".distinctAttribute", invalid},
		}
	}
	domain, identifier := characters(resourceapi.DeviceMaxDomainLength), resourceapi.FullyQualifiedName(characters(resourceapi.DeviceMaxIDLength))
	return append(more, []rule[*resourceapi.ResourceClaim]{
		{"no condition", nil, constraint(func(c *resourceapi.DeviceConstraint) { c.MatchAttribute = nil }), none, ""},
		{"an attribute without domain", matching("example.com/model"), matching("model"), attribute, invalid},
		{"an attribute with nothing before its slash", matching("e/model"), matching("/model"), attribute, lacking},
		{"an attribute with nothing after its slash", matching("example.com/m"), matching("example.com/"), attribute, lacking},
		{"an attribute starting with a digit", matching("example.com/m1"), matching("example.com/1m"), attribute, invalid},
		{"an attribute with a dash", matching("example.com/the_model"), matching("example.com/the-model"), attribute, invalid},
		{"a domain of 64 characters", matching(resourceapi.FullyQualifiedName(domain) + "/m"), matching(resourceapi.FullyQualifiedName(domain) + "a/m"),
			attribute, tooLong},
		{"an identifier of 33 characters", matching("example.com/" + identifier), matching("example.com/a" + identifier), attribute, tooLong},
		{"a nonexistent request", of("req", "other"), of("req", "another"), field + ".requests[1]", invalid},
		{"a request twice", of("req", "other"), of("req", "req"), field + ".requests[1]", duplicate},
		{"a nonexistent alternative", of("req"), of("req/sub"), field + ".requests[0]", invalid},
	}...)
}

func configRules() []rule[*resourceapi.ResourceClaim] {
	config := func(change func(*resourceapi.DeviceClaimConfiguration)) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { change(&c.Spec.Devices.Config[0]) }
	}
	by := func(driver string) func(*resourceapi.ResourceClaim) {
		return config(func(c *resourceapi.DeviceClaimConfiguration) { c.Opaque.Driver = driver })
	}
	with := func(parameters string) func(*resourceapi.ResourceClaim) {
		return config(func(c *resourceapi.DeviceClaimConfiguration) { c.Opaque.Parameters.Raw = []byte(parameters) })
	}
	of := func(requests ...string) func(*resourceapi.ResourceClaim) {
		return config(func(c *resourceapi.DeviceClaimConfiguration) { c.Requests = requests })
	}
	const field, parameters = "spec.devices.config[0]", "spec.devices.config[0].opaque.parameters"
	return []rule[*resourceapi.ResourceClaim]{
		{"no kind of parameters", nil, config(func(c *resourceapi.DeviceClaimConfiguration) { c.Opaque = nil }), field + ".opaque", required},
		{"no driver", by("d"), by(""), field + ".opaque.driver", required},
		{"a driver with an underscore", by("my-driver.example.com"), by("my_driver.example.com"), field + ".opaque.driver", invalid},
		{"a driver of 64 characters", by(characters(63)), by(characters(64)), field + ".opaque.driver", tooLong},
		{"no parameters", with("{}"), with("null"), parameters, required},
		{"a list as parameters", with(`{"a":[]}`), with(`[]`), parameters, invalid},
		{"a string as parameters", with(`{"a":"b"}`), with(`"b"`), parameters, invalid},
		{"parameters of 10 Ki and one byte", with(parametersOf(resourceapi.OpaqueParametersMaxLength)), with(parametersOf(resourceapi.OpaqueParametersMaxLength + 1)),
			parameters, tooLong},
		{"a nonexistent request", of("req", "other"), of("req", "another"), field + ".requests[1]", invalid},
		{"a request twice", of("req", "other"), of("req", "req"), field + ".requests[1]", duplicate},
	}
}
