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
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// GangShares has a gang share a claim for a device of one node, although its pods prefer another node. The scheduler has
// to place all pods before the claim is allocated.
var GangShares = harness.Case{Meta: spec.Meta{
	ID:       "groups/gang-shares",
	Checks:   "All pods of a gang can share a claim, on the nodes where it is available.",
	Requires: []spec.RequirementID{"kep-5729/reserved-for-group", "kep-4381/allocation-restricts-node"},
	Needs:    gangNeeds(),
}, Run: func(t *harness.T) {
	const pods = 4
	class := publish(t, 1)
	t.Create(objects.Claim("shared", objects.Request("req", class)))
	group := newGroup(schedulingapi.PodGroupResourceClaim{Name: "shared", ResourceClaimName: ptr.To("shared")})
	group.Spec.SchedulingPolicy = schedulingapi.PodGroupSchedulingPolicy{Gang: &schedulingapi.GangSchedulingPolicy{MinCount: pods}}
	t.Create(group)
	for i := range pods {
		pod := member(objects.Pod(fmt.Sprint("pod-", i), t.Image, "shared"))
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 100, Preference: corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
				Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{t.Nodes[1]},
			}}},
		}}}}
		t.Create(pod)
	}

	for i := range pods {
		t.Expect(t.WaitScheduled(fmt.Sprint("pod-", i)).Spec.NodeName).To(gomega.Equal(t.Nodes[0]), "node of pod-%d", i)
	}
	expectOfGroup(t, t.Claim("shared"), group)
}}

func gangNeeds() spec.Needs {
	n := needs()
	n.Nodes = 2
	return n
}
