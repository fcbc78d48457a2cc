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
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// needs are common to all cases of groups.
func needs() spec.Needs {
	return spec.Needs{NoKubelet: true, Since: "1.37", PodGroups: true, Features: []spec.Feature{spec.WorkloadClaims}}
}

// theGroup is the name of the case's group.
const theGroup = "group"

// create creates a group with these claims.
func create(t *harness.T, claims ...schedulingapi.PodGroupResourceClaim) *schedulingapi.PodGroup {
	group := newGroup(claims...)
	t.Create(group)
	return group
}

// newGroup returns a group with these claims. Its pods are scheduled one by one.
func newGroup(claims ...schedulingapi.PodGroupResourceClaim) *schedulingapi.PodGroup {
	return &schedulingapi.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: theGroup},
		Spec: schedulingapi.PodGroupSpec{
			SchedulingPolicy: schedulingapi.PodGroupSchedulingPolicy{Basic: &schedulingapi.BasicSchedulingPolicy{}}, ResourceClaims: claims,
		},
	}
}

// member adds the pod to the group.
func member(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To(theGroup)}
	return pod
}

// publish publishes a number of devices and returns a class for them.
func publish(t *harness.T, number int) (class string) {
	t.Publish("pool", t.Nodes[0], profiles.Devices(number).Pools[0].Devices...)
	return t.CreateClass(nil)
}

// expectOfGroup ends the case unless a claim is reserved for the group and no other consumer.
func expectOfGroup(t *harness.T, claim *resourceapi.ResourceClaim, group *schedulingapi.PodGroup) {
	t.Expect(claim.Status.ReservedFor).To(gomega.Equal([]resourceapi.ResourceClaimConsumerReference{
		{APIGroup: schedulingapi.GroupName, Resource: "podgroups", Name: group.Name, UID: group.UID},
	}), "consumers of claim %s", claim.Name)
}

// made waits until the group's status names the claim for its entry "claim", and returns the claim.
func made(t *harness.T) *resourceapi.ResourceClaim {
	name := ""
	t.Poll("the group's status to name its claim", func(ctx context.Context) (bool, string, error) {
		group, err := t.Client.SchedulingV1beta1().PodGroups(t.Namespace).Get(ctx, theGroup, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		for _, s := range group.Status.ResourceClaimStatuses {
			if s.Name == "claim" {
				name = ptr.Deref(s.ResourceClaimName, "")
			}
		}
		return name != "", fmt.Sprintf("claim %q", name), nil
	})
	return t.Claim(name)
}

// named waits until a pod's status names the claims of its entries, and returns their names.
func named(t *harness.T, pod string) map[string]string {
	claims := map[string]string{}
	t.WaitPod(pod, "given its claims", func(p *corev1.Pod) (bool, error) {
		for _, s := range p.Status.ResourceClaimStatuses {
			claims[s.Name] = ptr.Deref(s.ResourceClaimName, "")
		}
		return len(claims) == len(p.Spec.ResourceClaims), nil
	})
	return claims
}
