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

// DeviceNodes writes devices with their own node names.
var DeviceNodes = harness.Case{Meta: spec.Meta{
	ID:     "api/device-nodes",
	Checks: "Devices name their nodes, in exactly one way, if and only if their slice leaves that to them; others are rejected.",
	Requires: []spec.RequirementID{
		"kep-4815/node-selection-per-device", "kep-4815/device-node-selection", "kep-4381/slice-node-selector-labels",
	},
	Needs: spec.Needs{NoNode: true, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	valid := func() *resourceapi.ResourceSlice {
		s := validSlice()
		s.Spec.AllNodes, s.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
		s.Spec.Devices[0].AllNodes = ptr.To(true)
		return s
	}
	nodes := func(change func(*resourceapi.Device)) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) {
			d.AllNodes = nil
			change(d)
		})
	}
	named := func(node string) func(*resourceapi.ResourceSlice) {
		return nodes(func(d *resourceapi.Device) { d.NodeName = &node })
	}
	selected := func(terms int) func(*resourceapi.ResourceSlice) {
		return nodes(func(d *resourceapi.Device) {
			d.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: numbered(terms, nodeTerm)}
		})
	}
	labeled := func(value string) func(*resourceapi.ResourceSlice) {
		return nodes(func(d *resourceapi.Device) { d.NodeSelector = nodeLabel(value) })
	}
	none := nodes(func(*resourceapi.Device) {})
	both := onDevice(func(d *resourceapi.Device) { d.NodeName = ptr.To("node") })
	off := nodes(func(d *resourceapi.Device) { d.AllNodes = ptr.To(false) })
	second := func(s *resourceapi.ResourceSlice) {
		s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: "second"})
	}
	bySlice := func(change func(*resourceapi.Device)) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			s.Spec.AllNodes, s.Spec.PerDeviceNodeSelection = ptr.To(true), nil
			nodes(change)(s)
		}
	}
	alone := bySlice(func(*resourceapi.Device) {})
	sliceToo := func(s *resourceapi.ResourceSlice) { s.Spec.AllNodes = ptr.To(true) }
	const device = "spec.devices[0]"
	judge(t, valid, createSlice(t), []rule[*resourceapi.ResourceSlice]{
		{"a device without nodes", named("node"), none, device, required},
		{"a second device without nodes", nil, second, "spec.devices[1]", required},
		{"a device with a node and all nodes", nil, both, device, invalid},
		{"false for all nodes", nil, off, device + ".allNodes", invalid},
		{"a slice with perDeviceNodeSelection set to false", nil, func(s *resourceapi.ResourceSlice) { s.Spec.PerDeviceNodeSelection = ptr.To(false) }, "spec.perDeviceNodeSelection", invalid},
		{"an empty name of a node", named("n"), named(""), device + ".nodeName", invalid},
		{"a selector with an invalid label", labeled("a.b"), labeled("a b"), device + ".nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values[0]", invalid},
		{"a selector without terms", selected(1), selected(0), device + ".nodeSelector.nodeSelectorTerms", ""},
		{"a slice with perDeviceNodeSelection and all nodes", nil, sliceToo, "spec", invalid},
		{"a node of a device in a slice for all nodes", alone, bySlice(func(d *resourceapi.Device) { d.NodeName = ptr.To("node") }), device, invalid},
		{"all nodes of a device in a slice for all nodes", alone, bySlice(func(d *resourceapi.Device) { d.AllNodes = ptr.To(true) }), device, invalid},
	}...)
}}
