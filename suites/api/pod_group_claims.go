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
	"fmt"

	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodGroupClaims writes the claims of pod groups, and the generated ones in the status. Names are DNS labels, and
// each entry refers to either a claim or a template.
var PodGroupClaims = harness.Case{Meta: spec.Meta{
	ID:       "api/pod-group-claims",
	Checks:   "A pod group has at most four valid, immutable claims, and its status names no others.",
	Requires: []spec.RequirementID{"kep-5729/claims-4", "kep-5729/one-reference", "kep-5729/claims-immutable", "kep-5729/status-names-entries"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", PodGroups: true, Features: []spec.Feature{spec.WorkloadClaims}},
}, Run: func(t *harness.T) {
	groups := t.Client.SchedulingV1beta1().PodGroups(t.Namespace)
	of := func(claims ...schedulingapi.PodGroupResourceClaim) func(*schedulingapi.PodGroup) {
		return func(g *schedulingapi.PodGroup) { g.Spec.ResourceClaims = claims }
	}
	one := func(name string) schedulingapi.PodGroupResourceClaim {
		return schedulingapi.PodGroupResourceClaim{Name: name, ResourceClaimName: ptr.To("claim")}
	}
	entry := func(i int) schedulingapi.PodGroupResourceClaim { return one(fmt.Sprintf("claim-%d", i)) }
	template := schedulingapi.PodGroupResourceClaim{Name: "a", ResourceClaimTemplateName: ptr.To("template")}
	both := template
	both.ResourceClaimName = ptr.To("claim")
	valid := func() *schedulingapi.PodGroup {
		return &schedulingapi.PodGroup{
			ObjectMeta: metav1.ObjectMeta{Name: "group"},
			Spec: schedulingapi.PodGroupSpec{
				SchedulingPolicy: schedulingapi.PodGroupSchedulingPolicy{Basic: &schedulingapi.BasicSchedulingPolicy{}},
				ResourceClaims:   []schedulingapi.PodGroupResourceClaim{one("a"), one("b")},
			},
		}
	}
	const field = "spec.resourceClaims"
	judge(t, valid, create(t, groups), []rule[*schedulingapi.PodGroup]{
		{"five claims", of(numbered(4, entry)...), of(numbered(5, entry)...), field, tooMany},
		{"a name twice", of(one("a"), one("b")), of(one("a"), one("a")), field + "[1]", duplicate},
		{"a name with a capital", of(one("a")), of(one("A")), field + "[0].name", invalid},
		{"no name", of(one("a")), of(one("")), field + "[0].name", required},
		{"a claim and a template", of(template), of(both), field + "[0]", invalid},
		{"neither a claim nor a template", of(template), of(schedulingapi.PodGroupResourceClaim{Name: "a"}), field + "[0]", ""},
		{"a claim of no valid name", of(one("a")), of(schedulingapi.PodGroupResourceClaim{Name: "a", ResourceClaimName: ptr.To("a/b")}), field + "[0].resourceClaimName", invalid},
	}...)

	stored := valid()
	t.Create(stored)
	judge(t, stored.DeepCopy, update(t, groups), []rule[*schedulingapi.PodGroup]{
		{"a claim more", nil, of(one("a"), one("b"), one("c")), field, invalid},
		{"another claim", nil, of(one("a"), schedulingapi.PodGroupResourceClaim{Name: "b", ResourceClaimName: ptr.To("other")}), field, ""},
		{"no claims any more", nil, of(), field, invalid},
	}...)
	names := func(name string) func(*schedulingapi.PodGroup) {
		return func(g *schedulingapi.PodGroup) {
			g.Status.ResourceClaimStatuses = []schedulingapi.PodGroupResourceClaimStatus{{Name: name, ResourceClaimName: ptr.To("made")}}
		}
	}
	judge(t, stored.DeepCopy, updateStatus(t, groups), []rule[*schedulingapi.PodGroup]{
		{"a claim made for no entry", names("a"), names("c"), "status.resourceClaimStatuses[0].name", invalid},
	}...)
}}
