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
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimSelectors writes invalid CEL selectors, also by updating a valid class. Selectors may use cel.bind.
var ClaimSelectors = harness.Case{Meta: spec.Meta{
	ID:     "api/claim-selectors",
	Checks: "Selectors are boolean CEL expressions of at most 10 Ki characters and limited cost; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/selector-one-field", "kep-4381/cel-bind", "kep-4381/cel-length-10ki", "kep-4381/cel-cost-limited",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	judge(t, validClaim, createClaim(t), selectorRules("spec.devices.requests[0].exactly.selectors[0].cel", selecting)...)
	judgeClasses(t, selectorRules("spec.selectors[0].cel",
		func(s resourceapi.DeviceSelector) func(*resourceapi.DeviceClass) {
			return func(c *resourceapi.DeviceClass) { c.Spec.Selectors = []resourceapi.DeviceSelector{s} }
		})...)
}}

// selecting gives the claim's first request a selector.
func selecting(s resourceapi.DeviceSelector) func(*resourceapi.ResourceClaim) {
	return onRequest(func(r *resourceapi.ExactDeviceRequest) { r.Selectors = []resourceapi.DeviceSelector{s} })
}

// selectorRules are the rules for a selector in the field, set by selected.
func selectorRules[O any](field string, selected func(resourceapi.DeviceSelector) func(O)) []rule[O] {
	cel := func(expression string) func(O) { return selected(objects.Selector(expression)) }
	expression := field + ".expression"
	return []rule[O]{
		{"no kind of expression", cel("true"), selected(resourceapi.DeviceSelector{}), field, required},
		{"an empty expression", cel("true"), cel(""), expression, ""},
		{"an unclosed parenthesis", cel("(true)"), cel("(true"), expression, invalid},
		{"an unknown name", cel("true"), cel("truth"), expression, invalid},
		{"an unknown field of devices", cel(`device.driver == "d"`), cel(`device.name == "d"`), expression, invalid},
		{"an unknown function", cel(`device.driver.startsWith("d")`), cel(`device.driver.beginsWith("d")`), expression, invalid},
		{"a string", cel(`device.driver == "d"`), cel("device.driver"), expression, invalid},
		{"a number compared with a string", cel(`device.driver == "1"`), cel("device.driver == 1"), expression, invalid},
		{"a variable not bound by cel.bind", cel(`cel.bind(d, device.driver, d == "d")`), cel(`cel.bind(d, device.driver, e == "d")`), expression, invalid},
		{"10 Ki and one character", cel(long(resourceapi.CELSelectorExpressionMaxLength)), cel(long(resourceapi.CELSelectorExpressionMaxLength + 1)),
			expression, tooLong},
		{"a cost above the limit", cel(costly(3)), cel(costly(4)), expression, forbidden},
	}
}

// long returns an expression of n characters.
func long(n int) string { return "true" + strings.Repeat(" ", n-len("true")) }

// costly returns an expression iterating over all attributes in nested levels, so that its cost grows
// with each level.
func costly(levels int) string {
	if levels == 0 {
		return "true"
	}
	return `device.attributes["example.com"].all(a` + strings.Repeat("a", levels) + ", " + costly(levels-1) + ")"
}

func validClass() *resourceapi.DeviceClass { return objects.Class("dratest-api", driver) }
