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
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ConstraintKinds writes a constraint with two conditions.
var ConstraintKinds = harness.Case{Meta: spec.Meta{
	ID:         "api/constraint-kinds",
	Checks:     "A constraint requiring an attribute to be both equal and distinct is rejected.",
	Requires:   []spec.RequirementID{"kep-4381/match-attribute-qualified"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.ConsumableCapacity}},
	KnownIssue: issues.Known("constraint-kinds"),
}, Run: func(t *harness.T) {
	condition := func(match, distinct *resourceapi.FullyQualifiedName) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) {
			c.Spec.Devices.Constraints[0].MatchAttribute, c.Spec.Devices.Constraints[0].DistinctAttribute = match, distinct
		}
	}
	attribute := ptr.To[resourceapi.FullyQualifiedName]("example.com/model")
	judgeKnown(t, claimWithConstraint, createClaim(t), rule[*resourceapi.ResourceClaim]{
		"a constraint with two conditions", condition(nil, attribute), condition(attribute, attribute), "spec.devices.constraints[0]", "",
	})
}}
