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

package allocation

import (
	"fmt"
	"math"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedPartition shares devices that consume counters, with and without a capacity (kubernetes#134103, #139040, #140437).
var SharedPartition = harness.Case{Meta: spec.Meta{
	ID:         "allocation/shared-partition",
	Checks:     "A shareable device consumes its shared counters once, from its first share until its last one.",
	Requires:   []spec.RequirementID{"kep-4815/counters-not-exceeded", "kep-4815/counters-freed", "kep-5075/capacity-not-exceeded"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PartitionableDevices, spec.ConsumableCapacity}},
	KnownIssue: issues.Known("kubernetes#140437"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	// Of 8Gi, a second share of 6Gi would not fit.
	partition := func(name, memory string, capacities map[string]resourceapi.DeviceCapacity) resourceapi.Device {
		d := device(name, map[string]any{"name": name})
		if capacities != nil {
			d.AllowMultipleAllocations, d.Capacity = ptr.To(true), shared(name, capacities).Capacity
		}
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{
			CounterSet: "device", Counters: map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(memory)}},
		}}
		return d
	}
	partitions(t,
		partition("with-capacity", "6Gi", map[string]resourceapi.DeviceCapacity{"slots": amount("2")}),
		partition("without-capacity", "6Gi", map[string]resourceapi.DeviceCapacity{}),
		partition("quarter", "2Gi", nil), partition("half", "4Gi", nil))
	of := func(claim, name string) *resourceapi.ResourceClaim {
		return objects.Claim(claim, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
	}
	for _, name := range []string{"with-capacity", "without-capacity"} {
		first, second := of("first-"+name, name), of("second-"+name, name)
		if name == "with-capacity" {
			for _, c := range []*resourceapi.ResourceClaim{first, second} {
				c.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")}}
			}
		}
		t.Expect(use(t, first)).To(matchers.HaveDevices(name), "first share")
		t.Create(second, objects.Pod(second.Name, t.Image, second.Name))
		if !scheduled(t, second.Name) {
			known(t, name, "the second share of device %s does not get it", name)
			return
		}
		t.Expect(t.Claim(second.Name)).To(matchers.HaveDevices(name), "second share")
		half := of("half-"+name, "half")
		t.Create(half, objects.Pod(half.Name, t.Image, half.Name))
		t.Expect(scheduled(t, half.Name)).To(gomega.BeFalse(), "a device with more than the free counters to be allocated beside %s", name)
		t.Expect(use(t, of("quarter-"+name, "quarter"))).To(matchers.HaveDevices("quarter"), "a device with exactly the free counters")
		release(t, "quarter-"+name)
		release(t, first.Name)
		t.Create(of("other-"+name, "half"), objects.Pod("other-"+name, t.Image, "other-"+name))
		t.Expect(scheduled(t, "other-"+name)).To(gomega.BeFalse(), "a device with more than the free counters to be allocated beside the last share of %s", name)
		t.RemovePod("other-" + name)
		release(t, second.Name)
		t.Expect(used(t, half.Name)).To(matchers.HaveDevices("half"), "the pending device, once the last share of %s is free", name)
		release(t, half.Name)
	}
}}

// known reports the known issue if it is about a device without capacity, and fails the case otherwise.
func known(t *harness.T, name, format string, args ...any) {
	if name == "without-capacity" {
		t.KnownIssue(format, args...)
		return
	}
	t.Fatalf(format, args...)
}

// AllOfPoolOnNodes requests all devices of a pool with slices for different nodes (kubernetes#134466).
var AllOfPoolOnNodes = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-of-pool-on-nodes",
	Checks:   "A request for all devices of a pool with slices for several nodes gets those for the pod's node.",
	Requires: []spec.RequirementID{"kep-4381/all-requests-satisfied", "kep-4381/network-attached-devices"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	for i, node := range t.Nodes[:2] {
		slice := t.Slice("pool", "", resourceapi.Device{Name: fmt.Sprintf("device-%d", 2*i)}, resourceapi.Device{Name: fmt.Sprintf("device-%d", 2*i+1)})
		slice.Name += fmt.Sprintf("-%d", i)
		slice.Spec.AllNodes, slice.Spec.Pool.ResourceSliceCount = nil, 2
		slice.Spec.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
		}}}}
		t.Create(slice)
	}
	for i, node := range t.Nodes[:2] {
		name := fmt.Sprintf("claim-%d", i)
		t.Create(objects.Claim(name, all("req", class)), objects.OnlyOn(objects.Pod(name, t.Image, name), node))
		t.Expect(used(t, name)).To(matchers.HaveDevices(fmt.Sprintf("device-%d", 2*i), fmt.Sprintf("device-%d", 2*i+1)), "all devices for node %d", i)
	}
}}

// AllInAlternatives has requests for all devices as alternatives (kubernetes#131660, #137347).
var AllInAlternatives = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-in-alternatives",
	Checks:   "If not all devices of an alternative are free, or it has none, the next one gets all of its own devices.",
	Requires: []spec.RequirementID{"kep-4816/alternatives-in-order", "kep-4381/all-requests-satisfied", "resource-v1/all-needs-one"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.36", Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	model := func(name, model string) resourceapi.Device { return device(name, map[string]any{"model": model}) }
	t.Publish("pool", t.Nodes[0], model("a-0", "a"), model("b-0", "b"), model("b-1", "b"), model("c-0", "c"), model("c-1", "c"))
	of := func(model string) string { return t.Attribute("model") + " == '" + model + "'" }
	use(t, objects.Claim("one-of-b", objects.Request("req", class, of("b"))))
	alternative := func(name, model string) resourceapi.DeviceSubRequest {
		return resourceapi.DeviceSubRequest{
			Name: name, DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeAll, Selectors: []resourceapi.DeviceSelector{objects.Selector(of(model))},
		}
	}
	list := use(t, objects.Claim("list", resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
		alternative("none", "missing"), alternative("in-use", "b"), alternative("free", "c"),
	}}))
	t.Expect(results(list)).To(gomega.ConsistOf("list/free=pool/c-0", "list/free=pool/c-1"), "all devices of the third alternative")
}}

// CountsBeyondLimit requests numbers of devices whose sum exceeds 64 bits (kubernetes#141307).
var CountsBeyondLimit = harness.Case{Meta: spec.Meta{
	ID:       "allocation/counts-beyond-limit",
	Checks:   "A claim for more devices than a claim can have waits with a reason; an alternative for as many is skipped.",
	Requires: []spec.RequirementID{"kep-4381/allocation-32-devices", "kep-4816/alternatives-in-order"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.37", Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], resourceapi.Device{Name: "device-0"}, resourceapi.Device{Name: "device-1"})
	t.Create(objects.Claim("huge", count("a", class, math.MaxInt64), count("b", class, 1), count("c", class, math.MaxInt64)), objects.Pod("huge", t.Image, "huge"))
	t.WaitUnschedulable("huge", beyondLimit)
	list := objects.Claim("list", objects.Request("one", class), resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "huge", DeviceClassName: class, Count: math.MaxInt64}, {Name: "small", DeviceClassName: class},
	}})
	t.Expect(results(use(t, list))).To(gomega.ConsistOf("one=pool/device-0", "list/small=pool/device-1"), "devices of the claim with an alternative beyond the limit")
}}

// RulesTogether has several rules, of which one matches a device (kubernetes#139651).
var RulesTogether = harness.Case{Meta: spec.Meta{
	ID:       "allocation/rules-together",
	Checks:   "A DeviceTaintRule taints its devices whatever other rules for other devices exist, also after slices change.",
	Requires: []spec.RequirementID{"kep-5055/rule-selector", "kep-5055/rule-by-driver-pool-device"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints, spec.DeviceTaintRules}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	rule := func(name, driver string, change func(*resourceapi.DeviceTaintSelector)) {
		r := objects.TaintRule(name+"."+t.DriverName(), driver, resourceapi.DeviceTaint{Key: "example.com/" + name, Effect: resourceapi.DeviceTaintEffectNoSchedule})
		change(r.Spec.DeviceSelector)
		t.Create(r)
	}
	// The scheduler may look at rules in any order.
	for i := range 4 {
		rule(fmt.Sprintf("driver-%d", i), fmt.Sprintf("other-%d.%s", i, t.DriverName()), func(*resourceapi.DeviceTaintSelector) {})
		rule(fmt.Sprintf("pool-%d", i), t.DriverName(), func(s *resourceapi.DeviceTaintSelector) { s.Pool = ptr.To("other") })
		rule(fmt.Sprintf("device-%d", i), t.DriverName(), func(s *resourceapi.DeviceTaintSelector) { s.Device = ptr.To("other") })
	}
	rule("this", t.DriverName(), func(s *resourceapi.DeviceTaintSelector) { s.Pool, s.Device = ptr.To("pool"), ptr.To("tainted") })
	slice := t.Publish("pool", t.Nodes[0], device("free", map[string]any{"name": "free"}), device("tainted", map[string]any{"name": "tainted"}))
	of := func(claim, name string) *resourceapi.ResourceClaim {
		return objects.Claim(claim, objects.Request("req", class, t.Attribute("name")+" == '"+name+"'"))
	}
	use(t, of("free", "free"))
	wait(t, of("tainted", "tainted"))
	edit.Slice(t, slice.Name, func(s *resourceapi.ResourceSlice) {
		s.Spec.Pool.Generation++
		s.Spec.Devices = append(s.Spec.Devices, device("added", map[string]any{"name": "added"}))
	})
	use(t, of("added", "added"))
	wait(t, of("still-tainted", "tainted"))
}}

// SelectorOfTwoTerms publishes a device with a node selector that no release since 1.38 accepts (kubernetes#141214).
var SelectorOfTwoTerms = harness.Case{Meta: spec.Meta{
	ID:         "allocation/selector-of-two-terms",
	Checks:     "A stored device with a node selector of two terms keeps pods from no other node.",
	Requires:   []spec.RequirementID{"kep-4815/unsupported-selector-elsewhere"},
	Needs:      spec.Needs{NoKubelet: true, Nodes: 2, Features: []spec.Feature{spec.PartitionableDevices}},
	KnownIssue: issues.Known("kubernetes#141214"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	term := func(node string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}
	}
	broken := t.Slice("a-broken", "", device("device-0", nil))
	broken.Spec.AllNodes, broken.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
	broken.Spec.Devices[0].NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term(t.Nodes[0]), term("nowhere")}}
	_, err := t.Client.ResourceV1().ResourceSlices().Create(t.Context(), broken.DeepCopy(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if apierrors.IsInvalid(err) {
		return // nothing broken can be stored
	}
	t.Create(broken)
	t.Publish("b-sound", t.Nodes[1], device("device-1", nil))
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Pod("pod", t.Image, "claim"))
	if !scheduledOr(t, "pod", "terms") {
		t.KnownIssue("a pod is tried on no node because of the node selector of one device")
		return
	}
	t.Expect(t.Claim("claim")).To(matchers.HaveDevices("device-1"), "the device with a valid node selector")
}}
