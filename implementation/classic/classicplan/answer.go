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

package classicplan

import (
	"cmp"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// ToCheck returns the nodes to check by a driver, without duplicates, the selected one first.
func ToCheck(scheduling *v1alpha1.PodScheduling) []string {
	var nodes []string
	if selected := scheduling.Spec.SelectedNode; selected != "" {
		nodes = append(nodes, selected)
	}
	for _, node := range scheduling.Spec.PotentialNodes {
		if !slices.Contains(nodes, node) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// Answer returns the PodScheduling with a driver's answer, and whether it changed. unsuitable has
// all claims of the pod for the driver to allocate, by their names in the pod's spec, with the
// unsuitable nodes of ToCheck. Other drivers' answers are kept.
//
// If all of 129 nodes are unsuitable, the last potential one is omitted, because the API's limit is
// 128: the scheduler learns about it in the next round.
func Answer(scheduling *v1alpha1.PodScheduling, unsuitable map[string][]string) (answered *v1alpha1.PodScheduling, changed bool) {
	asked := ToCheck(scheduling)
	answered = scheduling.DeepCopy()
	for name, nodes := range unsuitable {
		entry := v1alpha1.ClaimSchedulingStatus{Name: name, ObservedGeneration: scheduling.Generation}
		for _, node := range asked {
			if slices.Contains(nodes, node) && len(entry.UnsuitableNodes) < v1alpha1.MaxNodes {
				entry.UnsuitableNodes = append(entry.UnsuitableNodes, node)
			}
		}
		i := slices.IndexFunc(answered.Status.ResourceClaims, func(c v1alpha1.ClaimSchedulingStatus) bool { return c.Name == name })
		if i < 0 {
			answered.Status.ResourceClaims = append(answered.Status.ResourceClaims, entry)
		} else {
			answered.Status.ResourceClaims[i] = entry
		}
	}
	slices.SortFunc(answered.Status.ResourceClaims, func(a, b v1alpha1.ClaimSchedulingStatus) int { return cmp.Compare(a.Name, b.Name) })
	return answered, !apiequality.Semantic.DeepEqual(answered.Status, scheduling.Status)
}

// Refused reports whether a driver cannot allocate one of these claims, by their names in the pod's
// spec, on the currently selected node. Then the other drivers need not try. Answers about a claim
// from before its allocation, for any node, are never withdrawn: only unallocated claims count.
func Refused(scheduling *v1alpha1.PodScheduling, pending []string) bool {
	return slices.ContainsFunc(scheduling.Status.ResourceClaims, func(c v1alpha1.ClaimSchedulingStatus) bool {
		return counts(scheduling, c, pending) && slices.Contains(c.UnsuitableNodes, scheduling.Spec.SelectedNode)
	})
}

// counts reports whether an answer is for the current request and an unallocated claim.
func counts(scheduling *v1alpha1.PodScheduling, answer v1alpha1.ClaimSchedulingStatus, pending []string) bool {
	return answer.ObservedGeneration == scheduling.Generation && slices.Contains(pending, answer.Name)
}

// Answered reports whether there is an answer for each of the claims, by their names in the pod's
// spec, to the current request.
func Answered(scheduling *v1alpha1.PodScheduling, claims []string) bool {
	for _, name := range claims {
		if !slices.ContainsFunc(scheduling.Status.ResourceClaims, func(c v1alpha1.ClaimSchedulingStatus) bool {
			return c.Name == name && c.ObservedGeneration == scheduling.Generation
		}) {
			return false
		}
	}
	return true
}
