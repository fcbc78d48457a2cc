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
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimShared has the pods of a group use a claim of the group and their own claims. The group's claim
// stays allocated after the pods, and the next pod gets the same device. It is deallocated with the
// group.
var ClaimShared = harness.Case{Meta: spec.Meta{
	ID:       "groups/claim-shared",
	Checks:   "A group's claim is reserved for the group instead of its pods, and stays allocated until the group is deleted.",
	Requires: []spec.RequirementID{"kep-5729/reserved-for-group", "kep-5729/kept-for-group", "kep-5729/freed-with-group"},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	class := publish(t, 2)
	t.Create(objects.Claim("shared", objects.Request("req", class)), objects.Claim("each", objects.Request("req", class)))
	group := create(t, schedulingapi.PodGroupResourceClaim{Name: "shared", ResourceClaimName: ptr.To("shared")})
	for _, name := range []string{"first", "second"} {
		t.Create(member(objects.Pod(name, t.Image, "shared", "each")))
	}
	first, second := t.WaitScheduled("first"), t.WaitScheduled("second")
	shared := t.Claim("shared")
	expectOfGroup(t, shared, group)
	t.Expect(t.Claim("each")).To(matchers.BeReservedFor(first, second), "claim not listed by the group")

	t.RemovePod("first")
	t.RemovePod("second")
	t.WaitDeallocated("each")
	t.Create(member(objects.Pod("third", t.Image, "shared")))
	t.WaitScheduled("third")
	now := t.Claim("shared")
	expectOfGroup(t, now, group)
	t.Expect(now.Status.Allocation).To(gomega.Equal(shared.Status.Allocation), "allocation of the group's claim after its pods were gone")

	t.RemovePod("third")
	t.Delete(group)
	t.WaitDeallocated("shared")
}}
