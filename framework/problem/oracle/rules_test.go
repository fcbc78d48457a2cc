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

package oracle_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func deviceRules() map[string]rule {
	return map[string]rule{
		"published": {"kep-4381/more-allocated-than-published",
			func(s *scene) { s.allocated().Device = "gpu-2" },
			func(s *scene) { s.allocated().Device = "gpu-3" },
		},
		"newest generation": {"kep-4381/highest-generation-only",
			func(s *scene) { s.Slices = append(s.Slices, old("gpu-0")) },
			func(s *scene) {
				s.Slices = append(s.Slices, old("gpu-9"))
				s.allocated().Device = "gpu-9"
			},
		},
		"incomplete pool": {"kep-4381/incomplete-pool-waits",
			func(s *scene) { s.Slices[1].Spec.Pool.ResourceSliceCount = 2 },
			func(s *scene) { s.Slices[0].Spec.Pool.ResourceSliceCount = 2 },
		},
		"unique names": {"kep-4381/device-names-unique-in-pool",
			func(*scene) {},
			func(s *scene) { s.device(2).Name = "gpu-1" },
		},
		"counters exist": {"kep-4815/counters-of-pool",
			func(s *scene) { s.counters(40, 40) },
			func(s *scene) { s.counters(40, 40); s.device(2).ConsumesCounters[0].CounterSet = "other" },
		},
		"node": {"kep-4381/allocation-restricts-node",
			func(s *scene) {
				s.Slices[0].Spec.NodeName, s.Slices[0].Spec.NodeSelector = nil, zone("east")
				s.selected(zone("east"))
			},
			func(s *scene) {
				s.Slices[0].Spec.NodeName, s.Slices[0].Spec.NodeSelector = nil, zone("west")
				s.selected(zone("west"))
			},
		},
		"node of a device": {"kep-4815/device-on-own-nodes",
			func(s *scene) { s.perDevice("node-0") },
			func(s *scene) { s.perDevice("node-1") },
		},
		"class": {"kep-4381/missing-class-named",
			func(*scene) {},
			func(s *scene) { s.Classes = nil },
		},
		"class selectors": {"kep-4381/allocate-by-class",
			func(s *scene) { s.Classes[0].Spec.Selectors = selector(`device.driver == "gpu.example.com"`) },
			func(s *scene) { s.Classes[0].Spec.Selectors = selector(`device.driver == "gpu.example.org"`) },
		},
		"request selectors": {"kep-4381/cel-selectors",
			func(s *scene) {
				s.requested(func(r *resourceapi.ExactDeviceRequest) {
					r.Selectors = selector(`device.attributes["gpu.example.com"].index < 1`)
				})
			},
			func(s *scene) {
				s.requested(func(r *resourceapi.ExactDeviceRequest) {
					r.Selectors = selector(`device.attributes["gpu.example.com"].index > 0`)
				})
			},
		},
		"taints": {"kep-5055/tolerated-or-not",
			func(s *scene) {
				s.device(0).Taints = []resourceapi.DeviceTaint{noSchedule}
				s.tolerate(resourceapi.DeviceToleration{Key: "broken", Value: "yes", Operator: resourceapi.DeviceTolerationOpEqual})
			},
			func(s *scene) {
				s.device(0).Taints = []resourceapi.DeviceTaint{noSchedule}
				s.tolerate(resourceapi.DeviceToleration{Key: "broken", Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute})
			},
		},
		"taints of a rule": {"kep-5055/tolerated-or-not",
			func(s *scene) { s.rule("b", "gpu-0") },
			func(s *scene) { s.rule("a", "gpu-0") },
		},
		"taints of a rule for all devices": {"kep-5055/tolerated-or-not",
			func(s *scene) { s.rule("a", "gpu-0"); s.Rules[0].Spec.DeviceSelector = nil },
			func(s *scene) { s.rule("", ""); s.Rules[0].Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{} },
		},
		"exclusive": {"kep-5075/not-shared-by-default",
			func(s *scene) { s.use("other", result("r", "gpu-1")) },
			func(s *scene) { s.use("other", result("r", "gpu-0")) },
		},
		"counters": {"kep-4815/counters-not-exceeded",
			func(s *scene) { s.counters(40, 80); s.use("other", result("r", "gpu-1")) },
			func(s *scene) { s.counters(40, 79); s.use("other", result("r", "gpu-1")) },
		},
	}
}

var noSchedule = resourceapi.DeviceTaint{Key: "broken", Value: "yes", Effect: resourceapi.DeviceTaintEffectNoSchedule}

// rule taints a device.
func (s *scene) rule(pool, device string) {
	s.Rules = []resourceapi.DeviceTaintRule{{Spec: resourceapi.DeviceTaintRuleSpec{
		DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: ptr.To(driver), Pool: &pool, Device: &device}, Taint: noSchedule,
	}}}
}

func old(device string) resourceapi.ResourceSlice {
	s := slice("a", "node-0", device)
	s.Spec.Pool.Generation = 0
	return s
}

// counters lets each device of pool "a" consume some of the memory of one counter set.
func (s *scene) counters(consumed, has int64) {
	memory := func(n int64) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"memory": {Value: *resource.NewQuantity(n, resource.DecimalSI)}}
	}
	for i := range s.Slices[0].Spec.Devices {
		s.device(i).ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: memory(consumed)}}
	}
	sets := slice("a", "node-0")
	sets.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: memory(has)}}
	s.Slices = append(s.Slices, sets)
	s.Slices[0].Spec.Pool.ResourceSliceCount, s.Slices[2].Spec.Pool.ResourceSliceCount = 2, 2
}

func zone(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
		Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{name},
	}}}}}
}

func (s *scene) selected(selector *corev1.NodeSelector) {
	s.Outcome.Claims[0].Status.Allocation.NodeSelector = selector
}

func (s *scene) perDevice(node string) {
	spec := &s.Slices[0].Spec
	spec.NodeName, spec.PerDeviceNodeSelection = nil, ptr.To(true)
	for i := range spec.Devices {
		spec.Devices[i].NodeName = &node
	}
	s.selected(onlyNode(node))
}

func (s *scene) tolerate(toleration resourceapi.DeviceToleration) {
	tolerations := []resourceapi.DeviceToleration{toleration}
	s.requested(func(r *resourceapi.ExactDeviceRequest) { r.Tolerations = tolerations })
	s.allocated().Tolerations = tolerations
}

func shareRules() map[string]rule {
	quantity := func(text string) *resource.Quantity { return ptr.To(resource.MustParse(text)) }
	steps := &resourceapi.CapacityRequestPolicy{
		Default: quantity("3Gi"), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantity("1Gi"), Max: quantity("7Gi"), Step: quantity("2Gi")},
	}
	values := &resourceapi.CapacityRequestPolicy{Default: quantity("1Gi"), ValidValues: []resource.Quantity{*quantity("1Gi"), *quantity("4Gi")}}
	fractions := &resourceapi.CapacityRequestPolicy{
		Default: quantity("600m"), ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantity("100m"), Step: quantity("500m")},
	}
	rules := map[string]rule{
		"share ID": {"kep-5075/share-id",
			func(s *scene) { s.share(nil, "1Gi", "1Gi") },
			func(s *scene) { s.share(nil, "1Gi", "1Gi"); s.allocated().ShareID = nil },
		},
		"share ID unique": {"kep-5075/share-id",
			func(s *scene) { s.share(nil, "1Gi", "1Gi"); s.useShare("other", "1Gi") },
			func(s *scene) { s.share(nil, "1Gi", "1Gi"); s.useShare("new", "1Gi") },
		},
		"only if shared": {"kep-5075/consumed-only-if-shared",
			func(s *scene) { s.share(nil, "1Gi", "1Gi") },
			func(s *scene) { s.share(nil, "1Gi", "1Gi"); s.device(0).AllowMultipleAllocations = nil },
		},
		"within capacity": {"kep-5075/capacity-not-exceeded",
			func(s *scene) { s.share(nil, "4Gi", "4Gi"); s.useShare("other", "6Gi") },
			func(s *scene) { s.share(nil, "5Gi", "5Gi"); s.useShare("other", "6Gi") },
		},
		"not after an exclusive one": {"kep-5075/not-shared-by-default",
			func(s *scene) { s.share(nil, "1Gi", "1Gi"); s.useShare("other", "0") },
			func(s *scene) { s.share(nil, "1Gi", "1Gi"); s.use("other", result("r", "gpu-0")) },
		},
		"both names": {"kep-5075/consumed-recorded",
			func(s *scene) {
				s.share(nil, "1Gi", "1Gi")
				s.allocated().ConsumedCapacity = amounts(driver+"/memory", "1Gi")
			},
			func(s *scene) {
				s.share(nil, "1Gi", "1Gi")
				s.allocated().ConsumedCapacity = amounts("gpu.example.org/memory", "1Gi")
			},
		},
		"more than there is": {"kep-5075/count-needs-capacity",
			func(s *scene) { s.share(nil, "10Gi", "10Gi") },
			func(s *scene) { s.share(nil, "11Gi", "11Gi") },
		},
		"more than the policy": {"kep-5075/count-needs-capacity",
			func(s *scene) { s.share(values, "4Gi", "4Gi") },
			func(s *scene) { s.share(values, "5Gi", "5Gi") },
		},
		"more than the range": {"kep-5075/count-needs-capacity",
			func(s *scene) { s.share(steps, "6Gi", "7Gi") },
			func(s *scene) { s.share(steps, "8Gi", "9Gi") },
		},
	}
	// Without DRAFractionalCapacityRange, 100u and 100m both round up to 1. The scheduler records
	// Min itself, which the oracle called a violation.
	for consumed, at := range map[string]string{"100m": "exact", "1": "rounded"} {
		rules["consumes a fractional min, "+at] = rule{
			"kep-5075/consumed-recorded",
			func(s *scene) { s.share(fractions, "100u", consumed); s.Off = []string{"FractionalCapacityRange"} },
			func(s *scene) { s.share(fractions, "100u", "100u"); s.Off = []string{"FractionalCapacityRange"} },
		}
	}
	for _, consumed := range []struct {
		policy                      *resourceapi.CapacityRequestPolicy
		requested, right, wrong, is string
	}{
		{nil, "", "10Gi", "1Gi", "everything by default"},
		{nil, "3Gi", "3Gi", "4Gi", "any amount"},
		{steps, "", "3Gi", "1Gi", "default"},
		{steps, "0", "1Gi", "0", "at least min"},
		{steps, "4Gi", "5Gi", "4Gi", "rounded to step"},
		{steps, "5Gi", "5Gi", "7Gi", "a step"},
		{values, "2Gi", "4Gi", "2Gi", "rounded to value"},
	} {
		rules[fmt.Sprint("consumes ", consumed.is)] = rule{
			"kep-5075/consumed-recorded",
			func(s *scene) { s.share(consumed.policy, consumed.requested, consumed.right) },
			func(s *scene) { s.share(consumed.policy, consumed.requested, consumed.wrong) },
		}
	}
	return rules
}

// useShare allocates a share of gpu-0 before the start of the problem.
func (s *scene) useShare(id types.UID, memory string) {
	share := result("r", "gpu-0")
	share.ShareID, share.ConsumedCapacity = &id, amounts("memory", memory)
	s.use("other", share)
}

func copyRules() map[string]rule {
	exists := resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists}
	return map[string]rule{
		"tolerations": {"kep-5055/tolerations-copied",
			func(s *scene) { s.tolerate(exists) },
			func(s *scene) { s.tolerate(exists); s.allocated().Tolerations = nil },
		},
		"admin access": {"kep-5018/admin-in-result",
			func(s *scene) { s.allocated().AdminAccess = ptr.To(false) },
			func(s *scene) { s.allocated().AdminAccess = ptr.To(true) },
		},
		"binding conditions": {"kep-5007/conditions-copied",
			func(s *scene) {
				s.device(0).BindingConditions, s.allocated().BindingConditions = []string{"a", "b"}, []string{"a", "b"}
			},
			func(s *scene) {
				s.device(0).BindingConditions, s.allocated().BindingConditions = []string{"a", "b"}, []string{"a"}
			},
		},
		"binding failure conditions": {"kep-5007/conditions-copied",
			func(s *scene) { s.device(1).BindingFailureConditions = []string{"a"} },
			func(s *scene) { s.device(0).BindingFailureConditions = []string{"a"} },
		},
		"binds to node": {"kep-5007/binds-to-node",
			func(s *scene) { s.everywhere(); s.device(0).BindsToNode = ptr.To(true) },
			func(s *scene) { s.everywhere(); s.device(0).BindsToNode = ptr.To(true); s.selected(nil) },
		},
		"node selector": {"kep-4815/allocation-for-selected-nodes",
			func(s *scene) { s.everywhere(); s.selected(nil) },
			func(s *scene) { s.selected(nil) },
		},
		"configuration of the class": {"kep-4381/allocation-tells-all",
			func(*scene) {},
			func(s *scene) { s.Outcome.Claims[0].Status.Allocation.Devices.Config = nil },
		},
		"source": {"kep-4381/allocation-tells-all",
			func(*scene) {},
			func(s *scene) {
				s.Outcome.Claims[0].Status.Allocation.Devices.Config[0].Source = resourceapi.AllocationConfigSourceClaim
			},
		},
		"order of configurations": {"kep-4381/allocation-tells-all",
			func(s *scene) { s.configure(false) },
			func(s *scene) { s.configure(true) },
		},
		"configuration of another alternative": {"kep-4816/reference-to-one",
			func(s *scene) { s.alternative("r/s0") },
			func(s *scene) { s.alternative("r/s1") },
		},
	}
}

func (s *scene) everywhere() {
	s.Slices[0].Spec.NodeName, s.Slices[0].Spec.AllNodes = nil, ptr.To(true)
}

// configure adds a configuration of the claim, before or after the class's.
func (s *scene) configure(before bool) {
	for _, claim := range []*resourceapi.ResourceClaim{&s.Problem.Claims[0], &s.Outcome.Claims[0]} {
		claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: parameters("claim")}}
	}
	devices := &s.Outcome.Claims[0].Status.Allocation.Devices
	added := resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: parameters("claim")}
	if before {
		devices.Config = append([]resourceapi.DeviceAllocationConfiguration{added}, devices.Config...)
	} else {
		devices.Config = append(devices.Config, added)
	}
}

// alternative has the first alternative, and configuration of the class under a name.
func (s *scene) alternative(configured string) {
	s.claims(claim("claim", firstOf("r", 1, 2)))
	config := &s.allocate(0, result("r/s0", "gpu-0")).Devices.Config
	*config = append(*config, (*config)[0])
	(*config)[1].Requests = []string{configured}
	if configured == "r/s0" {
		*config = (*config)[:1]
	}
}
