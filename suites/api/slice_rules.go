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

package api

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SliceRules writes slices with invalid driver, pool, nodes or devices.
var SliceRules = harness.Case{Meta: spec.Meta{
	ID:     "api/slice-rules",
	Checks: "A slice has a driver, a pool, nodes in one way and at most 128 unique devices; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4381/slice-driver-name", "resource-v1/driver-name-63", "kep-4381/slice-needs-pool", "kep-4381/pool-name-format",
		"kep-4381/slice-count-positive", "kep-4381/slice-node-selection-one", "kep-4381/slice-node-selector-one-term", "kep-4381/slice-node-selector-labels",
		"kep-4381/slice-128-devices", "kep-4381/device-name-label", "kubeletplugin/invalid-slices-rejected",
	},
	Needs: spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	of := func(driver string) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) { s.Spec.Driver = driver }
	}
	pool := func(change func(*resourceapi.ResourcePool)) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) { change(&s.Spec.Pool) }
	}
	in := func(name string) func(*resourceapi.ResourceSlice) {
		return pool(func(p *resourceapi.ResourcePool) { p.Name = name })
	}
	slices := func(n int64) func(*resourceapi.ResourceSlice) {
		return pool(func(p *resourceapi.ResourcePool) { p.ResourceSliceCount = n })
	}
	generation := func(n int64) func(*resourceapi.ResourceSlice) {
		return pool(func(p *resourceapi.ResourcePool) { p.Generation = n })
	}
	devices := func(n int) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.Devices = numbered(n, func(i int) resourceapi.Device { return resourceapi.Device{Name: name("device", i)} })
		}
	}
	named := func(name string) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) { d.Name = name })
	}
	and := func(name string) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name})
		}
	}
	const device = "spec.devices[0].name"
	judge(t, validSlice, createSlice(t), append([]rule[*resourceapi.ResourceSlice]{ // immutable
		{"no driver", of("d"), of(""), "spec.driver", required},
		{"a driver with an underscore", of("my-driver.example.com"), of("my_driver.example.com"), "spec.driver", invalid},
		{"a driver with a slash", of("example.com"), of("example.com/driver"), "spec.driver", invalid},
		{"a driver of 64 characters", of(characters(63)), of(characters(64)), "spec.driver", tooLong},
		{"no pool", in("p"), func(s *resourceapi.ResourceSlice) { s.Spec.Pool = resourceapi.ResourcePool{} }, "spec.pool.name", required},
		{"no name of the pool", in("p"), in(""), "spec.pool.name", required},
		{"a pool of 254 characters", in(characters(126) + "/" + characters(126)), in(characters(126) + "/" + characters(127)), "spec.pool.name", tooLong},
		{"a pool with a capital", in("a.b/c"), in("a.b/C"), "spec.pool.name", invalid},
		{"a pool with nothing between slashes", in("a/b"), in("a//b"), "spec.pool.name", invalid},
		{"a pool starting with a slash", in("a/b"), in("/b"), "spec.pool.name", invalid},
	}, sliceNodes()...)...)
	judgeSlices(t, validSlice, []rule[*resourceapi.ResourceSlice]{
		{"no slices in the pool", slices(1), slices(0), "spec.pool.resourceSliceCount", invalid},
		{"less than no slices in the pool", slices(1), slices(-1), "spec.pool.resourceSliceCount", invalid},
		{"a generation below zero", generation(0), generation(-1), "spec.pool.generation", invalid},
		{"129 devices", devices(resourceapi.ResourceSliceMaxDevices), devices(resourceapi.ResourceSliceMaxDevices + 1), "spec.devices", tooMany},
		{"two devices of one name", and("other"), and("device"), "spec.devices[1] or spec.devices[1].name", duplicate},
		{"no name of a device", named("d"), named(""), device, ""},
		{"a device of 64 characters", named(characters(63)), named(characters(64)), device, invalid},
		{"a device with a capital", named("gpu-0"), named("GPU-0"), device, invalid},
		{"a device with a dot", named("gpu-0"), named("gpu.0"), device, invalid},
	}...)
}}

// sliceNodes are the rules for the nodes of a slice.
func sliceNodes() []rule[*resourceapi.ResourceSlice] {
	nodes := func(change func(*resourceapi.ResourceSliceSpec)) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.AllNodes = nil
			change(&s.Spec)
		}
	}
	named := func(node string) func(*resourceapi.ResourceSlice) {
		return nodes(func(s *resourceapi.ResourceSliceSpec) { s.NodeName = &node })
	}
	selected := func(terms int) func(*resourceapi.ResourceSlice) {
		return nodes(func(s *resourceapi.ResourceSliceSpec) {
			s.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: numbered(terms, nodeTerm)}
		})
	}
	labeled := func(value string) func(*resourceapi.ResourceSlice) {
		return nodes(func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = nodeLabel(value) })
	}
	all := func(all bool) func(*resourceapi.ResourceSlice) {
		return nodes(func(s *resourceapi.ResourceSliceSpec) { s.AllNodes = &all })
	}
	both := func(s *resourceapi.ResourceSlice) { s.Spec.NodeName = ptr.To("node") }
	several := func(s *resourceapi.ResourceSlice) {
		s.Spec.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: numbered(1, nodeTerm)}
	}
	return []rule[*resourceapi.ResourceSlice]{
		{"no nodes", named("node"), nodes(func(*resourceapi.ResourceSliceSpec) {}), "spec", required},
		{"a node and all nodes", named("node"), both, "spec", invalid},
		{"a selector and all nodes", selected(1), several, "spec", invalid},
		{"false for all nodes", all(true), all(false), "spec.allNodes", invalid},
		{"an empty name of a node", named("n"), named(""), "spec.nodeName", invalid},
		{"a node with a capital", named("node"), named("Node"), "spec.nodeName", invalid},
		{"a selector without terms", selected(1), selected(0), "spec.nodeSelector.nodeSelectorTerms", ""},
		{"a selector with an invalid label", labeled("a.b"), labeled("a b"), "spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values[0]", invalid},
		{"a selector with two terms", selected(1), selected(2), "spec.nodeSelector.nodeSelectorTerms", invalid},
		{"a node with a name of 254 characters", named(characters(253)), named(characters(254)), "spec.nodeName", ""},
	}
}

// nodeLabel selects nodes by one value of a label.
func nodeLabel(value string) *corev1.NodeSelector {
	term := nodeTerm(0)
	term.MatchExpressions[0].Values[0] = value
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

func nodeTerm(i int) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: "example.com/zone", Operator: corev1.NodeSelectorOpIn, Values: []string{name("zone", i)}},
	}}
}
