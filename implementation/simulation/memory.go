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

package simulation

import (
	"encoding/json"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// memory has, by shape of pods, which nodes rejected such a pod. As long as pods only
// come, they would do so again: what is free becomes less.
type memory struct {
	shapes map[string]*rejections
	// forks counts Forks; what is older than the last one is copied before it changes.
	forks    int
	messages *messages
}

// messages are what nodes said, by number.
type messages struct {
	texts   []string
	numbers map[string]int32
}

func newMemory() memory {
	return memory{shapes: make(map[string]*rejections), messages: &messages{numbers: make(map[string]int32)}}
}

// forked returns a memory that can be changed while the receiver stays as it is.
func (m *memory) forked() memory {
	return memory{shapes: maps.Clone(m.shapes), forks: m.forks + 1, messages: m.messages}
}

// forget returns a memory without rejections.
func (m *memory) forget() memory {
	return memory{shapes: make(map[string]*rejections), forks: m.forks, messages: m.messages}
}

// of returns the rejections of pods of a shape, to be changed; empty for no shape.
func (m *memory) of(shape string) *rejections {
	if shape == "" {
		return &rejections{messages: m.messages}
	}
	r := m.shapes[shape]
	switch {
	case r == nil:
		r = &rejections{forks: m.forks, messages: m.messages}
	case r.forks == m.forks:
		return r
	default:
		r = &rejections{nodes: slices.Clone(r.nodes), count: r.count, first: r.first, forks: m.forks, messages: m.messages}
	}
	m.shapes[shape] = r
	return r
}

// rejections are what nodes said, by their index.
type rejections struct {
	// nodes have the numbers of messages, from 1; 0 if the node was not asked.
	nodes []int32
	count int
	// first is the index of the first node that was not asked.
	first    int
	forks    int
	messages *messages
}

func (r *rejections) has(node int) bool { return node < len(r.nodes) && r.nodes[node] != 0 }

func (r *rejections) add(node int, message string) {
	for len(r.nodes) <= node {
		r.nodes = append(r.nodes, 0)
	}
	number, ok := r.messages.numbers[message]
	if !ok {
		r.messages.texts = append(r.messages.texts, message)
		number = int32(len(r.messages.texts)) //nolint:gosec // as many as there are kinds of pods
		r.messages.numbers[message] = number
	}
	r.nodes[node] = number
	r.count++
	for r.has(r.first) {
		r.first++
	}
}

// shape spells out all that matters of a pod but for names. It is empty for pods for
// which a node may become better when another pod comes: they have affinity to pods or
// spread, or use a claim that others may allocate, or had one for extended resources.
func (s *Simulation) shape(pod *v1.Pod) string {
	spec := pod.Spec.DeepCopy()
	if len(spec.TopologySpreadConstraints) > 0 || hasPodAffinity(pod) || s.retried[pod.UID] {
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

// String is what the scheduler would say: how many nodes reject the pod for what.
func (r *rejections) String() string {
	if r.count == 0 {
		return "there are no nodes"
	}
	counts := make(map[string]int)
	for _, number := range r.nodes {
		if number != 0 {
			counts[r.messages.texts[number-1]]++
		}
	}
	texts := slices.Sorted(maps.Keys(counts))
	if len(texts) == 1 {
		return plural(r.count, "node") + ": " + texts[0]
	}
	text := plural(r.count, "node") + ", none fits:"
	for i, message := range texts {
		if i > 0 {
			text += ","
		}
		text += " " + plural(counts[message], "node") + ": " + message
	}
	return text
}
