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

// memory caches the rejecting nodes by pod shape. Rejections stay valid while pods are only added:
// free capacity only shrinks.
type memory struct {
	shapes map[string]*rejections
	// forks counts Forks; entries older than the last one are copied on write.
	forks    int
	messages *messages
}

// messages numbers the nodes' messages.
type messages struct {
	texts   []string
	numbers map[string]int32
}

func newMemory() memory {
	return memory{shapes: make(map[string]*rejections), messages: &messages{numbers: make(map[string]int32)}}
}

// forked returns a copy-on-write copy.
func (m *memory) forked() memory {
	return memory{shapes: maps.Clone(m.shapes), forks: m.forks + 1, messages: m.messages}
}

// forget returns a memory without rejections.
func (m *memory) forget() memory {
	return memory{shapes: make(map[string]*rejections), forks: m.forks, messages: m.messages}
}

// of returns the modifiable rejections for a shape; empty for no shape.
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

// rejections are messages by node index.
type rejections struct {
	// nodes have the numbers of messages, from 1; 0 for nodes not tried yet.
	nodes []int32
	count int
	// first is the index of the first node not tried yet.
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
		number = int32(len(r.messages.texts)) //nolint:gosec // at most the number of pod kinds
		r.messages.numbers[message] = number
	}
	r.nodes[node] = number
	r.count++
	for r.has(r.first) {
		r.first++
	}
}

// shape encodes everything relevant about a pod except names. It is empty if another pod can improve a
// node for it: the pod has affinity or topology spread, uses a claim that other pods may allocate, or
// had a claim for extended resources.
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
		return "" // only the cache is lost
	}
	return string(text)
}

// String is the scheduler's summary: the number of nodes by reason.
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
