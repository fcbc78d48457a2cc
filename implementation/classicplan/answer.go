package classicplan

import (
	"cmp"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// ToCheck returns the nodes that a driver is asked about, without repetition: the
// selected one comes first.
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

// Answer returns the PodScheduling with what a driver says, and whether that is new.
// unsuitable has all claims of the pod that the driver is to allocate, by their names
// in the pod's spec, with the nodes of ToCheck for which it cannot. What other drivers
// say stays.
//
// Of 129 nodes that are all unsuitable, the last potential one is not named, because
// the API has room for 128: the scheduler hears of it in the next round.
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

// Refused says whether a driver has said of the selected node, as it is selected now,
// that it cannot allocate there one of these claims, by their names in the pod's spec. Then
// the others need not try. What was said of a claim before it was allocated, for that node
// or another one, nobody takes back: only claims that wait still count.
func Refused(scheduling *v1alpha1.PodScheduling, pending []string) bool {
	return slices.ContainsFunc(scheduling.Status.ResourceClaims, func(c v1alpha1.ClaimSchedulingStatus) bool {
		return counts(scheduling, c, pending) && slices.Contains(c.UnsuitableNodes, scheduling.Spec.SelectedNode)
	})
}

// counts says whether an answer is for what the scheduler asks now, and for a claim that waits
// still.
func counts(scheduling *v1alpha1.PodScheduling, answer v1alpha1.ClaimSchedulingStatus, pending []string) bool {
	return answer.ObservedGeneration == scheduling.Generation && slices.Contains(pending, answer.Name)
}

// Answered says whether there is an answer for each of the claims, by their names in
// the pod's spec, to what the scheduler asks now.
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
