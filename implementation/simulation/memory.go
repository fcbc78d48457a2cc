package simulation

import (
	"encoding/json"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// memory has, by shape of pods, the nodes that rejected such a pod. As long as pods only
// come, they would do so again: what is free becomes less.
type memory map[string]rejections

// rejections are the messages by node.
type rejections map[string]string

func (m memory) clone() memory {
	c := make(memory, len(m))
	for shape, r := range m {
		c[shape] = maps.Clone(r)
	}
	return c
}

// shape spells out all that matters of a pod but for names. It is empty for pods for
// which a node may become better when another pod comes: they have affinity to pods or
// spread, or use a claim that others may allocate.
func (s *Simulation) shape(pod *v1.Pod) string {
	spec := pod.Spec.DeepCopy()
	if len(spec.TopologySpreadConstraints) > 0 || spec.Affinity != nil && (spec.Affinity.PodAffinity != nil || spec.Affinity.PodAntiAffinity != nil) {
		return ""
	}
	claims := make([]resourceapi.ResourceClaimSpec, 0, len(spec.ResourceClaims))
	for i := range spec.ResourceClaims {
		name, owned, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil || !owned {
			return ""
		}
		claim, err := s.manager.ResourceClaims().Get(pod.Namespace, *name)
		if err != nil || claim.Status.Allocation != nil || claim.DeletionTimestamp != nil || resourceclaim.IsForPod(pod, claim, false) != nil {
			return ""
		}
		claims = append(claims, claim.Spec)
		spec.ResourceClaims[i] = v1.PodResourceClaim{Name: spec.ResourceClaims[i].Name}
	}
	text, err := json.Marshal([]any{pod.Namespace, pod.Labels, pod.Status.NominatedNodeName, spec, claims})
	if err != nil {
		return "" // Only the memory is lost.
	}
	return string(text)
}

// reason is what the scheduler would say: how many nodes reject the pod for what.
func (r rejections) reason() string {
	if len(r) == 0 {
		return "there are no nodes"
	}
	counts := make(map[string]int)
	for _, message := range r {
		counts[message]++
	}
	messages := slices.Sorted(maps.Keys(counts))
	if len(messages) == 1 {
		return plural(len(r), "node") + ": " + messages[0]
	}
	text := plural(len(r), "node") + ", none fits:"
	for i, message := range messages {
		if i > 0 {
			text += ","
		}
		text += " " + plural(counts[message], "node") + ": " + message
	}
	return text
}
