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

package load

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
)

// The kinds of units whose claims a driver allocates itself (KEP-3063): each claim is for one
// device of a node.
const (
	// Delayed: a claim from a template, allocated for the node of its pod.
	Delayed Kind = "delayed"
	// Pair: two such claims, on one node.
	Pair Kind = "pair"
	// Immediate: a claim from a template, allocated wherever a device is free.
	Immediate Kind = "immediate"
	// Shared: one claim that two pods have at the same time.
	Shared Kind = "shared"
	// OneAtATime: one claim for two pods, one after the other.
	OneAtATime Kind = "one-at-a-time"
	// Optional: a claim that is allocated also where no device is free.
	Optional Kind = "optional"
	// Slow: a claim that takes long to allocate.
	Slow Kind = "slow"
	// Failing: a claim that is allocated at the third attempt.
	Failing Kind = "failing"
)

// ClassicKinds lists them.
func ClassicKinds() []Kind {
	return []Kind{Delayed, Pair, Immediate, Shared, OneAtATime, Optional, Slow, Failing}
}

// shares is whether the pods of a unit have one claim, which comes from no template.
func (k Kind) shares() bool { return k == TwoPods || k == Shared || k == OneAtATime }

// parameters are what a driver that allocates itself is told about claims of a kind, by the
// keys that dra-classic-driver knows.
func (k Kind) parameters() map[string]string {
	switch k {
	case Shared:
		return map[string]string{"userLimit": "2"}
	case Optional:
		return map[string]string{"optional": "true"}
	case Slow:
		return map[string]string{"allocateTakes": "2s"}
	case Failing:
		return map[string]string{"failAllocate": "2"}
	default:
		return nil
	}
}

// choice is what claims of a kind say beside their class.
func (k Kind) choice() map[string]any {
	choice := map[string]any{}
	if k == Immediate {
		choice["allocationMode"] = "Immediate"
	}
	if len(k.parameters()) > 0 {
		choice["parametersRef"] = map[string]any{"kind": "ConfigMap", "name": string(k)}
	}
	return choice
}

// Parameters are the objects that claims of these kinds refer to.
func (n Names) Parameters(kinds []Kind) []*corev1.ConfigMap {
	var all []*corev1.ConfigMap
	for _, k := range kinds {
		if p := k.parameters(); len(p) > 0 {
			all = append(all, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: string(k)}, Data: maps.Clone(p)})
		}
	}
	return all
}

// ResourceClass is the name of the ResourceClass for these kinds, empty if they need none.
func (n Names) ResourceClass(kinds []Kind) string {
	if slices.Contains(uses(kinds), classic) {
		return n.class(classic)
	}
	return ""
}

// classicClass is a DeviceClass that stands for a ResourceClass.
func classicClass(resourceClass string) resourceapi.DeviceClassSpec {
	return resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{objects.Selector("false")},
		Config:    []resourceapi.DeviceClassConfiguration{classicdra.ClassConfig(resourceClass)},
	}
}
