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

package audit

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// World is the state of a cluster, or of some namespaces with all nodes and slices relevant for their claims.
type World struct {
	Claims []resourceapi.ResourceClaim
	Slices []resourceapi.ResourceSlice
	Pods   []corev1.Pod
	Nodes  []corev1.Node
	// Classes are the classes at the time the pods were bound.
	Classes []resourceapi.DeviceClass
}

// Pods checks that each bound, unfinished pod has all its claims: allocated, reserved for it, and for its node.
func Pods(w World) []Violation {
	claims := map[types.NamespacedName]*resourceapi.ResourceClaim{}
	for i := range w.Claims {
		c := &w.Claims[i]
		claims[types.NamespacedName{Namespace: c.Namespace, Name: c.Name}] = c
	}
	nodes := map[string]*corev1.Node{}
	for i := range w.Nodes {
		nodes[w.Nodes[i].Name] = &w.Nodes[i]
	}
	inventory := newInventory(w.Slices)
	var found []Violation
	for i := range w.Pods {
		pod := &w.Pods[i]
		if pod.Spec.NodeName == "" || ended(pod) {
			continue
		}
		found = append(found, checkExtended(pod, nodes[pod.Spec.NodeName], w.Classes)...)
		names, missing := ClaimNames(pod)
		for _, name := range missing {
			found = append(found, aboutPod(BoundWithoutClaim, pod, nil, "is bound, but claim %q was not generated for it", name))
		}
		for _, name := range names {
			claim := claims[types.NamespacedName{Namespace: pod.Namespace, Name: name}]
			if v := checkClaim(pod, name, claim); v != nil {
				found = append(found, *v)
			} else if node := nodes[pod.Spec.NodeName]; node != nil {
				found = append(found, checkNode(pod, claim, node, inventory)...)
			}
		}
	}
	return Sorted(found)
}

// ClaimNames returns the names of the pod's claims, and its entries without a generated claim. An entry may need
// none.
func ClaimNames(pod *corev1.Pod) (names, missing []string) {
	for _, entry := range pod.Spec.ResourceClaims {
		if entry.ResourceClaimName != nil {
			names = append(names, *entry.ResourceClaimName)
			continue
		}
		i := slices.IndexFunc(pod.Status.ResourceClaimStatuses, func(s corev1.PodResourceClaimStatus) bool { return s.Name == entry.Name })
		switch {
		case i < 0:
			missing = append(missing, entry.Name)
		case pod.Status.ResourceClaimStatuses[i].ResourceClaimName != nil:
			names = append(names, *pod.Status.ResourceClaimStatuses[i].ResourceClaimName)
		}
	}
	if s := pod.Status.ExtendedResourceClaimStatus; s != nil {
		names = append(names, s.ResourceClaimName)
	}
	return names, missing
}

func checkClaim(pod *corev1.Pod, name string, claim *resourceapi.ResourceClaim) *Violation {
	what := ""
	switch {
	case claim == nil:
		what = "does not exist"
	case claim.Status.Allocation == nil:
		what = "is not allocated"
	case !slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
		// A pod group's reservation counts for its pods.
		return r.UID == pod.UID || r.Resource != "pods"
	}):
		what = "is not reserved for it"
	default:
		return nil
	}
	v := aboutPod(BoundWithoutClaim, pod, claim, "is bound to %s, but its claim %s %s", pod.Spec.NodeName, name, what)
	return &v
}

func checkNode(pod *corev1.Pod, claim *resourceapi.ResourceClaim, node *corev1.Node, in inventory) []Violation {
	var found []Violation
	if !selects(claim.Status.Allocation.NodeSelector, node) {
		found = append(found, aboutPod(WrongNode, pod, claim, "is bound to %s, which the node selector of its claim %s does not match", node.Name, claim.Name))
	}
	for _, r := range claim.Status.Allocation.Devices.Results {
		id := deviceID{r.Driver, r.Pool, r.Device}
		if !in.places[id].reaches(node) {
			v := aboutPod(WrongNode, pod, claim, "is bound to %s, where device %s of its claim %s cannot be used", node.Name, id, claim.Name)
			v.Subject = id.String()
			found = append(found, v)
		}
	}
	return found
}

func aboutPod(rule Rule, pod *corev1.Pod, claim *resourceapi.ResourceClaim, format string, args ...any) Violation {
	v := Violation{Rule: rule, Text: "pod " + key(pod) + " " + fmt.Sprintf(format, args...), Evidence: []Object{pod}}
	if claim != nil {
		v.Evidence = append(v.Evidence, claim)
	}
	return v
}

// ended reports whether none of the pod's containers will run any more.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed ||
		pod.DeletionTimestamp != nil && pod.Spec.NodeName == ""
}
