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

package claims

import (
	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Owner has the garbage collector remove a claim tied to a pod by an owner reference only.
var Owner = harness.Case{Meta: spec.Meta{
	ID:       "claims/owner",
	Checks:   "A claim from a template is owned by its pod by name and UID, and garbage-collected with it; others stay.",
	Requires: []spec.RequirementID{"kep-4381/owner-reference-cleans-up", "kep-4381/owner-not-blocked", "kep-4381/user-claim-outlives-pods"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))), objects.Claim("unowned", objects.Request("req", class)))
	// Once the second pod's claims are gone, the effects of the first one's end are complete.
	for _, name := range []string{"first", "second"} {
		pod := heldFromTemplate(t, name, "template")
		made := generated(t, name)
		t.Expect(made.OwnerReferences).To(gomega.HaveLen(1), "owners of the claim")
		owner := made.OwnerReferences[0]
		t.Expect([]string{owner.APIVersion, owner.Kind, owner.Name, string(owner.UID)}).To(gomega.Equal([]string{"v1", "Pod", name, string(pod.UID)}), "owner of the claim")
		// It would take the right to update finalizers of pods.
		t.Expect(ptr.Deref(owner.BlockOwnerDeletion, false)).To(gomega.BeFalse(), "whether the claim blocks the deletion of its owner")

		alike := objects.Claim("alike-"+name, objects.Request("req", class))
		alike.OwnerReferences = made.OwnerReferences
		t.Create(alike)
		t.RemovePod(name)
		t.WaitClaimGone(alike.Name)
		t.WaitClaimGone(made.Name)
	}
	t.Expect(t.Claim("unowned").DeletionTimestamp).To(gomega.BeNil(), "deletion of a claim without owner")
	t.Create(objects.Pod("user", t.Image, "unowned"))
	t.WaitScheduled("user")
}}
