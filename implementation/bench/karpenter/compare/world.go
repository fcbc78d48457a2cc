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

package compare

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

// copies is the number of pods per claim of a problem.
const copies = 4

// newWorld has a group for each node of a problem, with the node's own slices, and several pods for
// each claim.
func newWorld(p *problem.Problem) (simulation.Objects, []*simulation.Group) {
	var objects simulation.Objects
	var groups []*simulation.Group
	for i := range p.Classes {
		objects.Classes = append(objects.Classes, &p.Classes[i])
	}
	for i := range p.Nodes {
		group := &simulation.Group{Name: fmt.Sprint("group-", i), Template: simulation.Template{Node: roomy(p.Nodes[i].API())}}
		for s := range p.Slices {
			if name := p.Slices[s].Spec.NodeName; name != nil && *name == group.Node.Name {
				group.Slices = append(group.Slices, &p.Slices[s])
			}
		}
		if len(group.Slices) > 0 && group.Validate() == nil {
			groups = append(groups, group)
		}
	}
	for i := range p.Claims {
		for n := range copies {
			pod, claim := podFor(&p.Claims[i], n)
			objects.Pods, objects.Claims = append(objects.Pods, pod), append(objects.Claims, claim)
		}
	}
	return objects, groups
}

func roomy(node *corev1.Node) *corev1.Node {
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("100"), corev1.ResourceMemory: resource.MustParse("100Gi"), corev1.ResourcePods: resource.MustParse("100"),
	}
	return node
}

// podFor is a pod using a copy of a claim.
func podFor(of *resourceapi.ResourceClaim, number int) (*corev1.Pod, *resourceapi.ResourceClaim) {
	claim := of.DeepCopy()
	claim.Name = fmt.Sprintf("%s-%d", of.Name, number)
	claim.UID = types.UID(claim.Name)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: "pod-" + claim.Name, UID: types.UID("pod-" + claim.Name), ResourceVersion: "1"}}
	pod.Spec.Containers = []corev1.Container{{Name: "c"}}
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "claim", ResourceClaimName: &claim.Name}}
	return pod, claim
}
