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

package nodeplan_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func inGroup(p *corev1.Pod, group string) *corev1.Pod {
	p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group}
	return p
}

// reserveFor reserves a claim for a group.
func reserveFor(c *resourceapi.ResourceClaim, group string) *resourceapi.ResourceClaim {
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{APIGroup: schedulingapi.GroupName, Resource: "podgroups", Name: group, UID: "group"}}
	return c
}

// With the feature gate, a pod may use its group's claims.
func TestClaimsOfGroups(t *testing.T) {
	const notReserved = "prepare dynamic resources: pod p (p) is not allowed to use ResourceClaim c (c)"
	generated := pod("p")
	generated.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "e", ResourceClaimTemplateName: ptr.To("tmpl")}}
	generated.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "e", ResourceClaimName: ptr.To("c")}}
	for name, tc := range map[string]struct {
		off      bool
		pod      *corev1.Pod
		group    string // the claim is reserved for and, if generated, owned by it
		refusal  string
		resource string
	}{
		"named":                      {pod: inGroup(pod("p", "c"), "g"), group: "g"},
		"generated":                  {pod: inGroup(generated.DeepCopy(), "g"), group: "g"},
		"gate off":                   {off: true, pod: inGroup(pod("p", "c"), "g"), group: "g", refusal: notReserved},
		"generated, gate off":        {off: true, pod: inGroup(generated.DeepCopy(), "g"), group: "g", refusal: "prepare dynamic resources: ResourceClaim ns/c was not created for Pod ns/p (Pod is not owner)"},
		"of another group":           {pod: inGroup(pod("p", "c"), "g"), group: "other", refusal: notReserved},
		"generated for another":      {pod: inGroup(generated.DeepCopy(), "g"), group: "other", refusal: "prepare dynamic resources: ResourceClaim ns/c was not created for Pod ns/p (neither Pod nor PodGroup g is the owner)"},
		"pod without a group":        {pod: pod("p", "c"), group: "g", refusal: notReserved},
		"consumer that is no group":  {pod: inGroup(pod("p", "c"), "g"), group: "g", resource: "pods", refusal: notReserved},
		"generated, without a group": {pod: generated.DeepCopy(), group: "g", refusal: "prepare dynamic resources: ResourceClaim ns/c was not created for Pod ns/p (Pod is not owner)"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "a")
			m.config.WorkloadResourceClaims = !tc.off
			m.restart()
			c := reserveFor(claim("c", "a"), tc.group)
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: schedulingapi.SchemeGroupVersion.String(), Kind: "PodGroup", Name: tc.group, UID: "group", Controller: ptr.To(true)}}
			if tc.resource != "" {
				c.Status.ReservedFor[0].Resource = tc.resource
			}
			m.reserve(c)
			outcome := m.run(tc.pod)
			if tc.refusal != "" {
				failed(t, outcome, tc.refusal)
				m.saw()
				return
			}
			done(t, outcome)
			done(t, m.stop(tc.pod))
			m.saw("write", "+a c", "write", "-a c", "write")
		})
	}
}
