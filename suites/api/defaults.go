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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Defaults creates a claim and a template without fields having a default.
var Defaults = harness.Case{Meta: spec.Meta{
	ID:       "api/defaults",
	Checks:   "A request or alternative without mode and count defaults to exactly one device; an explicit mode is kept.",
	Requires: []spec.RequirementID{"kep-4381/count-default-one"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	all := objects.Request("all", "class")
	all.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	counted := objects.Request("counted", "class")
	counted.Exactly.Count = 3
	exact := objects.Request("exact", "class")
	exact.Exactly.AllocationMode = resourceapi.DeviceAllocationModeExactCount
	first := resourceapi.DeviceRequest{Name: "first", FirstAvailable: alternatives(1)}
	claim := objects.Claim("claim", objects.Request("bare", "class"), exact, counted, all, first)
	t.Create(claim, objects.Template("template", claim))
	stored, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	template, err := t.Client.ResourceV1().ResourceClaimTemplates(t.Namespace).Get(t.Context(), "template", metav1.GetOptions{})
	t.NoError(err, "get the template")

	type mode struct {
		Mode  resourceapi.DeviceAllocationMode
		Count int64
	}
	want := map[string]mode{"bare": {"ExactCount", 1}, "exact": {"ExactCount", 1}, "counted": {"ExactCount", 3}, "all": {"All", 0}, "first": {"ExactCount", 1}}
	for what, requests := range map[string][]resourceapi.DeviceRequest{"claim": stored.Spec.Devices.Requests, "template": template.Spec.Spec.Devices.Requests} {
		got := map[string]mode{}
		for _, r := range requests {
			if r.Exactly != nil {
				got[r.Name] = mode{r.Exactly.AllocationMode, r.Exactly.Count}
			} else {
				got[r.Name] = mode{r.FirstAvailable[0].AllocationMode, r.FirstAvailable[0].Count}
			}
		}
		t.Expect(got).To(gomega.Equal(want), "modes and counts of the %s", what)
	}
}}

// TolerationDefaults creates a claim with a toleration without an operator.
var TolerationDefaults = harness.Case{Meta: spec.Meta{
	ID:       "api/toleration-defaults",
	Checks:   "A toleration without an operator is stored with Equal, and one with Exists keeps it.",
	Requires: []spec.RequirementID{"kep-5055/operator-default"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	claim := objects.Claim("stored", objects.Request("req", "class"))
	tolerating(resourceapi.DeviceToleration{Key: "a"}, resourceapi.DeviceToleration{Key: "b", Operator: resourceapi.DeviceTolerationOpExists},
		resourceapi.DeviceToleration{Key: "c", Operator: resourceapi.DeviceTolerationOpEqual, Value: "d"})(claim)
	t.Create(claim)
	stored, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Get(t.Context(), "stored", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	var operators []resourceapi.DeviceTolerationOperator
	for _, toleration := range stored.Spec.Devices.Requests[0].Exactly.Tolerations {
		operators = append(operators, toleration.Operator)
	}
	t.Expect(operators).To(gomega.Equal([]resourceapi.DeviceTolerationOperator{"Equal", "Exists", "Equal"}), "the operators of the tolerations")
	judge(t, validClaim, createClaim(t), rule[*resourceapi.ResourceClaim]{
		"an unknown operator", tolerating(resourceapi.DeviceToleration{Key: "a"}), tolerating(resourceapi.DeviceToleration{Key: "a", Operator: "In"}),
		"spec.devices.requests[0].exactly.tolerations[0].operator", notSupported,
	})
}}
