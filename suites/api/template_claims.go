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

// TemplateClaims writes templates of invalid claims: with them, pods would wait for their claims
// forever.
var TemplateClaims = harness.Case{Meta: spec.Meta{
	ID:       "api/template-claims",
	Checks:   "Templates whose requests, selectors, constraints or configuration are invalid for claims are rejected.",
	Requires: []spec.RequirementID{"resource-v1/template-spec-like-claim"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	write := createTemplate(t)
	judge(t, validClaim, write, inTemplate(requestRules())...)
	judge(t, validClaim, write, inTemplate(selectorRules("spec.devices.requests[0].exactly.selectors[0].cel", selecting))...)
	judge(t, claimWithConstraint, write, inTemplate(constraintRules(t.Target().Gates[spec.ConsumableCapacity]))...)
	judge(t, claimWithConfig, write, inTemplate(configRules())...)
}}

// TemplateFeatures does so with request features beyond the core.
var TemplateFeatures = harness.Case{Meta: spec.Meta{
	ID:       "api/template-features",
	Checks:   "Templates whose alternatives or tolerations are invalid for claims are rejected.",
	Requires: []spec.RequirementID{"resource-v1/template-spec-like-claim"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.PrioritizedList, spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	write := createTemplate(t)
	judge(t, claimWithAlternatives, write, inTemplate(alternativeRules())...)
	judge(t, validClaim, write, inTemplate(tolerationRules("spec.devices.requests[0].exactly.tolerations[0]", tolerating))...)
	judge(t, claimWithAlternatives, write, inTemplate(tolerationRules("spec.devices.requests[0].firstAvailable[0].tolerations[0]", toleratingFirst))...)
}}

// createTemplate judges new templates of these claims.
func createTemplate(t *harness.T) func(*resourceapi.ResourceClaim) error {
	write := create(t, t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace))
	return func(c *resourceapi.ResourceClaim) error { return write(objects.Template("template", c)) }
}

// inTemplate returns the rules for a template of the claims.
func inTemplate(rules []rule[*resourceapi.ResourceClaim]) []rule[*resourceapi.ResourceClaim] {
	return numbered(len(rules), func(i int) rule[*resourceapi.ResourceClaim] {
		r := rules[i]
		r.field = strings.ReplaceAll(r.field, "spec.", "spec.spec.")
		return r
	})
}
