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

package groups

import (
	"github.com/onsi/gomega"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Template has a group with a claim from a template. The group owns the claim and has it in its
// status, as have its pods with the same entry. The claim outlives the pods and is deleted with the
// group.
var Template = harness.Case{Meta: spec.Meta{
	ID:       "groups/template",
	Checks:   "One claim is created from a template for a whole group, and reserved for the group.",
	Requires: []spec.RequirementID{"kep-5729/one-claim-per-group", "kep-5729/claim-in-pod-status", "kep-5729/reserved-for-group", "kep-5729/claim-deleted-with-group"},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	class := publish(t, 2)
	template := objects.Template("template", objects.Claim("", objects.Request("req", class)))
	template.Spec.Labels = map[string]string{"example.com/from": "template"}
	t.Create(template)
	group := create(t, schedulingapi.PodGroupResourceClaim{Name: "claim", ResourceClaimTemplateName: ptr.To("template")})
	claim := made(t)
	t.Expect(claim.Spec).To(gomega.Equal(template.Spec.Spec), "spec of the group's claim")
	t.Expect(claim.Labels).To(gomega.HaveKeyWithValue("example.com/from", "template"), "labels of the group's claim")
	t.Expect(claim.OwnerReferences).To(gomega.HaveExactElements(gomega.And(
		gomega.HaveField("Kind", "PodGroup"), gomega.HaveField("Name", group.Name), gomega.HaveField("UID", group.UID), gomega.HaveField("Controller", gomega.HaveValue(gomega.BeTrue())),
	)), "owner of the group's claim")

	for _, name := range []string{"first", "second"} {
		t.Create(member(objects.PodFromTemplate(name, t.Image, "template")))
		t.Expect(named(t, name)).To(gomega.Equal(map[string]string{"claim": claim.Name}), "claims in the status of pod %s", name)
		t.WaitScheduled(name)
	}
	t.Expect(t.Claims()).To(gomega.HaveLen(1), "claims of the namespace")
	expectOfGroup(t, t.Claim(claim.Name), group)

	t.RemovePod("first")
	t.RemovePod("second")
	t.Create(member(objects.PodFromTemplate("third", t.Image, "template")))
	t.Expect(named(t, "third")).To(gomega.Equal(map[string]string{"claim": claim.Name}), "claims in the status of the next pod")
	t.WaitScheduled("third")
	t.RemovePod("third")
	t.Delete(group)
	t.WaitClaimGone(claim.Name)
}}
