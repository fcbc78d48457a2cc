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
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OptionalOperations writes slices with devices skipping preparation.
var OptionalOperations = harness.Case{Meta: spec.Meta{
	ID:       "api/optional-operations",
	Checks:   "A slice skips preparing only together with unpreparing, and only known operations; others are rejected.",
	Requires: []spec.RequirementID{"kep-5945/prepare-skipped-with-unprepare"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.OptionalOperations}},
}, Run: func(t *harness.T) {
	skipping := func(operations ...resourceapi.SkipNodeOperation) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) { s.Spec.SkipNodeOperations = operations }
	}
	const field = "spec.skipNodeOperations"
	const prepare, unprepare, all = resourceapi.SkipNodeOperationNodePrepareResources, resourceapi.SkipNodeOperationNodeUnprepareResources, resourceapi.SkipNodeOperationAll
	judge(t, validSlice, createSlice(t), []rule[*resourceapi.ResourceSlice]{
		{"preparing alone", skipping(prepare, unprepare), skipping(prepare), field, invalid},
		{"preparing alone, where all would do", skipping(all), skipping(prepare), field, invalid},
		{"an unknown operation", skipping(unprepare), skipping("NodeWatchResources"), field + "[0]", notSupported},
		{"an operation twice", skipping(unprepare), skipping(unprepare, unprepare), field + "[1]", duplicate},
	}...)
}}

// NodeAllocatable writes devices mapped to node resources.
var NodeAllocatable = harness.Case{Meta: spec.Meta{
	ID:       "api/node-allocatable",
	Checks:   "A device maps to node resources by number or capacity, with overhead, not to extended ones; others are rejected.",
	Requires: []spec.RequirementID{"kep-5517/node-resources-no-extended", "kep-5517/mapping-or-overhead", "kep-5517/mapping-by-count-or-capacity"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37", Features: []spec.Feature{spec.NodeAllocatable}},
}, Run: func(t *harness.T) {
	standing := func(name corev1.ResourceName, r resourceapi.NodeAllocatableResource) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			capacity("cores")(s)
			s.Spec.Devices[0].NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{name: r}
		}
	}
	mapped := func(m resourceapi.NodeAllocatableMapping) func(*resourceapi.ResourceSlice) {
		return standing(corev1.ResourceCPU, resourceapi.NodeAllocatableResource{Mapping: &m})
	}
	with := func(o resourceapi.NodeAllocatableOverhead) func(*resourceapi.ResourceSlice) {
		return standing(corev1.ResourceCPU, resourceapi.NodeAllocatableResource{Overhead: &o})
	}
	cores := ptr.To[resourceapi.QualifiedName]("cores")
	byCount, byCapacity := resourceapi.NodeAllocatableMapping{DeviceMultiplier: quantity("2")}, resourceapi.NodeAllocatableMapping{CapacityKey: cores, CapacityMultiplier: quantity("2")}
	both := byCapacity
	both.DeviceMultiplier = quantity("2")
	resource := resourceapi.NodeAllocatableResource{Mapping: &byCount}
	const field = "spec.devices[0].nodeAllocatableResources"
	// All nodes of a slice must declare the feature (k8s.io/kubernetes v1.37.1,
	// plugin/pkg/admission/nodedeclaredfeatures): this one is for none.
	nowhere := func() *resourceapi.ResourceSlice {
		s := validSlice()
		s.Spec.AllNodes, s.Spec.NodeSelector = nil, &corev1.NodeSelector{NodeSelectorTerms: numbered(1, nodeTerm)}
		return s
	}
	judge(t, nowhere, createSlice(t), []rule[*resourceapi.ResourceSlice]{
		{"an extended resource", standing("cpu", resource), standing("example.com/cpu", resource), field + "[example.com/cpu]", invalid},
		{"pods", standing("memory", resource), standing("pods", resource), field + "[pods]", invalid},
		{"neither a mapping nor an overhead", mapped(byCount), standing("cpu", resourceapi.NodeAllocatableResource{}), field + "[cpu]", required},
		{"a mapping by count and by capacity", mapped(byCapacity), mapped(both), field + "[cpu].mapping", invalid},
		{"a mapping by nothing", mapped(byCount), mapped(resourceapi.NodeAllocatableMapping{}), field + "[cpu].mapping", invalid},
		{"a capacity without a multiplier", mapped(byCapacity), mapped(resourceapi.NodeAllocatableMapping{CapacityKey: cores}), field + "[cpu].mapping.capacityMultiplier", required},
		{"a multiplier without a capacity", mapped(byCapacity), mapped(resourceapi.NodeAllocatableMapping{CapacityMultiplier: quantity("2")}), field + "[cpu].mapping.capacityKey", required},
		{"a multiplier of nothing", mapped(byCount), mapped(resourceapi.NodeAllocatableMapping{DeviceMultiplier: quantity("0")}), field + "[cpu].mapping.deviceMultiplier", invalid},
		{"an overhead of nothing", with(resourceapi.NodeAllocatableOverhead{PerPod: quantity("1")}), with(resourceapi.NodeAllocatableOverhead{}), field + "[cpu].overhead", invalid},
		{"an overhead below zero", with(resourceapi.NodeAllocatableOverhead{PerPod: quantity("0")}), with(resourceapi.NodeAllocatableOverhead{PerPod: quantity("-1")}),
			field + "[cpu].overhead.perPod", invalid},
	}...)
}}

// CompatibilityGroups writes devices with groups for their counters.
var CompatibilityGroups = harness.Case{Meta: spec.Meta{
	ID:       "api/compatibility-groups",
	Checks:   "A device has at most 2 different compatibility groups for a counter set; others are rejected.",
	Requires: []spec.RequirementID{"kep-5963/groups-2"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.PartitionableDevices, spec.CompatibilityGroups}},
}, Run: func(t *harness.T) {
	in := func(groups ...string) func(*resourceapi.ResourceSlice) {
		return onDevice(func(d *resourceapi.Device) {
			d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counters(1), CompatibilityGroups: groups}}
		})
	}
	const field = "spec.devices[0].consumesCounters[0].compatibilityGroups"
	judge(t, validSlice, createSlice(t), []rule[*resourceapi.ResourceSlice]{
		{"three groups", in("a", "b"), in("a", "b", "c"), field, tooMany},
		{"a group twice", in("a", "b"), in("a", "a"), field + "[1]", duplicate},
	}...)
}}

// PartitionTypes writes slices with an attribute for partition types.
var PartitionTypes = harness.Case{Meta: spec.Meta{
	ID:       "api/partition-types",
	Checks:   "Devices of a slice with a partition type attribute use counters and have it as a string; others are rejected.",
	Requires: []spec.RequirementID{"kep-5677/partition-type-attribute"},
	Needs:    spec.Needs{NoNode: true, Features: []spec.Feature{spec.PartitionableDevices, spec.PartitionTypes}},
}, Run: func(t *harness.T) {
	text := func(value string) resourceapi.DeviceAttribute {
		return resourceapi.DeviceAttribute{StringValue: &value}
	}
	named := func(name resourceapi.FullyQualifiedName) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) { s.Spec.PartitionTypeAttribute = &name }
	}
	without := onDevice(func(d *resourceapi.Device) { d.ConsumesCounters = nil })
	const attribute = driver + "/type"
	field := "spec.devices[0].attributes[" + attribute + "]"
	judge(t, sliceWithTypes, createSlice(t), []rule[*resourceapi.ResourceSlice]{
		{"a name without a domain", named(attribute), named("type"), "spec.partitionTypeAttribute", invalid},
		{"no device with counters", nil, without, "spec.partitionTypeAttribute", invalid},
		{"a device without the attribute", valued("type", text("half")), valued("kind", text("half")), field, required},
		{"a device with a number as its type", valued(attribute, text("half")), valued(attribute, resourceapi.DeviceAttribute{IntValue: ptr.To(int64(1))}), field, invalid},
	}...)
}}

// PartitionTypesConsistent writes devices of one type with different counters.
var PartitionTypesConsistent = harness.Case{Meta: spec.Meta{
	ID:         "api/partition-types-consistent",
	Checks:     "Devices of one partition type with different numbers of counters are rejected.",
	Requires:   []spec.RequirementID{"kep-5677/partition-type-consistent"},
	Needs:      spec.Needs{NoNode: true, Features: []spec.Feature{spec.PartitionableDevices, spec.PartitionTypes}},
	KnownIssue: issues.Known("partition-types-consistent"),
}, Run: func(t *harness.T) {
	second := func(counters map[string]resourceapi.Counter) func(*resourceapi.ResourceSlice) {
		return func(s *resourceapi.ResourceSlice) {
			d := s.Spec.Devices[0].DeepCopy()
			d.Name, d.ConsumesCounters[0].Counters = "second", counters
			s.Spec.Devices = append(s.Spec.Devices, *d)
		}
	}
	judgeKnown(t, sliceWithTypes, createSlice(t), rule[*resourceapi.ResourceSlice]{
		"two devices of one type with different counters", second(counters(1)), second(counters(2)), "spec.devices[1]", "",
	})
}}

// sliceWithTypes has a device with a type and a counter.
func sliceWithTypes() *resourceapi.ResourceSlice {
	s := validSlice()
	s.Spec.PartitionTypeAttribute = ptr.To[resourceapi.FullyQualifiedName](driver + "/type")
	s.Spec.Devices[0].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counters(1)}}
	valued("type", resourceapi.DeviceAttribute{StringValue: ptr.To("half")})(s)
	return s
}
