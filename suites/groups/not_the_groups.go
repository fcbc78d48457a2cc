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
	corev1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NotTheGroups has pods with entries similar to their group's: another name, another template, or no
// group. Such pods get their own claims, deleted with them. A claim named by a pod is reserved for the
// pod.
var NotTheGroups = harness.Case{Meta: spec.Meta{
	ID:       "groups/not-the-groups",
	Checks:   "A pod shares its group's claim only through an entry with the same name and reference.",
	Requires: []spec.RequirementID{"kep-5729/entries-match-exactly"},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	class := publish(t, 5)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))), objects.Template("other", objects.Claim("", objects.Request("req", class))))
	group := create(t, schedulingapi.PodGroupResourceClaim{Name: "claim", ResourceClaimTemplateName: ptr.To("template")})
	shared := made(t)
	pods := map[string]*corev1.Pod{
		"other-name": member(objects.PodFromTemplate("other-name", t.Image, "template")), "other-template": member(objects.PodFromTemplate("other-template", t.Image, "other")),
		"no-group": objects.PodFromTemplate("no-group", t.Image, "template"),
	}
	pods["other-name"].Spec.ResourceClaims[0].Name = "mine"
	pods["other-name"].Spec.Containers[0].Resources.Claims[0].Name = "mine"
	t.Create(objects.Claim("named", objects.Request("req", class)))
	byName := member(objects.PodFromTemplate("by-name", t.Image, "template"))
	byName.Spec.ResourceClaims[0].ResourceClaimTemplateName, byName.Spec.ResourceClaims[0].ResourceClaimName = nil, ptr.To("named")
	t.Create(byName)
	scheduled := t.WaitScheduled("by-name")
	t.Expect(t.Claim("named")).To(matchers.BeReservedFor(scheduled), "claim of a pod with the group's claim name")
	var own []string
	for name, pod := range pods {
		t.Create(pod)
		claim := t.Claim(named(t, name)[pod.Spec.ResourceClaims[0].Name])
		t.Expect(claim.OwnerReferences).To(gomega.HaveExactElements(gomega.And(gomega.HaveField("Kind", "Pod"), gomega.HaveField("Name", name))), "owner of the claim of pod %s", name)
		scheduled := t.WaitScheduled(name)
		t.Expect(t.Claim(claim.Name)).To(matchers.BeReservedFor(scheduled), "claim of pod %s", name)
		own = append(own, claim.Name)
	}

	t.Create(member(objects.PodFromTemplate("same", t.Image, "template")))
	t.Expect(named(t, "same")).To(gomega.Equal(map[string]string{"claim": shared.Name}), "claims in the status of the pod with the group's entry")
	t.WaitScheduled("same")
	expectOfGroup(t, t.Claim(shared.Name), group)
	for name := range pods {
		t.RemovePod(name)
	}
	for _, name := range own {
		t.WaitClaimGone(name)
	}
	expectOfGroup(t, t.Claim(shared.Name), group)
}}
