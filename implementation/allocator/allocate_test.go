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

package allocator_test

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

func TestFirstFit(t *testing.T) {
	twoModels := []resourceapi.Device{gpu("a", attr("model", "small")), gpu("b", attr("model", "big")), gpu("c", attr("model", "big"))}
	for name, test := range map[string]struct {
		world
		want string
	}{
		"the first device": {
			world{devices: twoModels, claims: list(claim("c", exactly("r", 1)))},
			"r:a",
		},
		"the first that is selected and free": {
			world{devices: twoModels, taken: []string{"b"}, claims: list(claim("c", exactly("r", 1, selecting("model=big"))))},
			"r:c",
		},
		"an earlier request leaves what a later one needs": {
			world{devices: twoModels, claims: list(claim("c", exactly("r", 2), exactly("s", 1, selecting("model=small"))))},
			"r:b r:c s:a",
		},
		"an earlier claim does, too": {
			world{devices: twoModels, claims: list(claim("c", exactly("r", 1)), claim("d", exactly("r", 1, selecting("model=small"))))},
			"r:b | r:a",
		},
		"the second alternative if the first does not fit": {
			world{devices: twoModels, claims: list(claim("c", either("r", alternative("many", 4), alternative("two", 2))))},
			"r/two:a r/two:b",
		},
		"a smaller alternative if a later request needs it": {
			world{devices: twoModels, claims: list(claim("c", either("r", alternative("three", 3), alternative("one", 1)), exactly("s", 1)))},
			"r/one:a s:b",
		},
		"all devices": {
			world{devices: twoModels, claims: list(claim("c", exactly("r", -1, selecting("model=big"))))},
			"r:b r:c",
		},
		"all of them, and one is taken": {
			world{devices: twoModels, taken: []string{"c"}, claims: list(claim("c", exactly("r", -1)))},
			"claim default/c, request r wants all devices, 3 of the node's 3 match its selectors: 1 allocated",
		},
		"admin access to what is taken": {
			world{devices: twoModels, taken: []string{"a"}, claims: list(claim("c", exactly("r", 2, admin)))},
			"r:a r:b",
		},
		"admin access blocks no later claim": {
			world{devices: gpus(1), claims: list(claim("c", exactly("r", 1, admin)), claim("d", exactly("s", 1)))},
			"r:gpu-000 | s:gpu-000",
		},
		"admin access to a device of another claim of the pod": {
			world{devices: gpus(2), claims: list(claim("c", exactly("r", 2)), claim("d", exactly("s", -1, admin)))},
			"r:gpu-000 r:gpu-001 | s:gpu-000 s:gpu-001",
		},
		"admin access leaves its device to no request of the same claim": {
			world{devices: gpus(1), claims: list(claim("c", exactly("r", 1, admin), exactly("s", 1)))},
			"claim default/c, request s wants 1 device, 1 of the node's 1 match its selectors: 1 allocated",
		},
		"admin access and a share of one device in a claim": {
			world{devices: gpus(2, shared("80Gi")), claims: list(claim("c", exactly("r", 1, memory("1Gi")), exactly("s", 1, admin, memory("1Gi")), exactly("t", 1, memory("1Gi"))))},
			"r:gpu-000 s:gpu-000 t:gpu-000",
		},
		"admin access needs no free capacity": {
			world{devices: gpus(1, shared("80Gi")), claims: list(claim("c", exactly("r", 1)), claim("d", exactly("s", 1, admin, memory("50Gi"))))},
			"r:gpu-000 | s:gpu-000",
		},
		"admin access takes no capacity": {
			world{devices: gpus(1, shared("80Gi")), claims: list(claim("c", exactly("r", 1, admin, memory("50Gi"))), claim("d", exactly("s", 1)))},
			"r:gpu-000 | s:gpu-000",
		},
		"admin access to more capacity than there is": {
			world{devices: gpus(1, shared("80Gi")), claims: list(claim("c", exactly("r", 1, admin, memory("81Gi"))))},
			"claim default/c, request r wants 1 device, 1 of the node's 1 match its selectors: 1 without enough capacity",
		},
		"a pair that matches": {
			world{devices: twoModels, claims: list(match(claim("c", exactly("r", 2)), "model"))},
			"r:b r:c",
		},
		"a pair that differs": {
			world{devices: twoModels[1:], claims: list(distinct(claim("c", exactly("r", 2)), "model"))},
			"claim default/c, request r wants 2 devices, 2 of the node's 2 match its selectors: 1 excluded by constraints",
		},
		"a taint is not tolerated": {
			world{devices: []resourceapi.Device{gpu("a", tainted(resourceapi.DeviceTaintEffectNoSchedule)), gpu("b", tainted(resourceapi.DeviceTaintEffectNone))}, claims: list(claim("c", exactly("r", 1)))},
			"r:b",
		},
		"a taint is tolerated": {
			world{devices: gpus(1, tainted(resourceapi.DeviceTaintEffectNoExecute)), claims: list(claim("c", exactly("r", 1, tolerating)))},
			"r:gpu-000",
		},
		"shares of one device": {
			world{devices: gpus(1, shared("80Gi")), claims: list(claim("c", exactly("r", 1, memory("30Gi")), exactly("s", 1, memory("50Gi"))))},
			"r:gpu-000 s:gpu-000",
		},
		"shares beyond the capacity": {
			world{devices: gpus(1, shared("80Gi")), claims: list(claim("c", exactly("r", 1, memory("30Gi")), exactly("s", 1, memory("51Gi"))))},
			"claim default/c, request s wants 1 device, 1 of the node's 1 match its selectors: 1 without enough capacity",
		},
		"nothing selected": {
			world{devices: twoModels, claims: list(claim("c", exactly("r", 1, selecting("model=huge"))))},
			"claim default/c, request r wants 1 device, 0 of the node's 3 match its selectors",
		},
		"no devices": {
			world{claims: list(claim("c", exactly("r", 1)))},
			"claim default/c, request r wants 1 device, the node has none",
		},
		"a class selects": {
			world{devices: twoModels, claims: list(claim("c", exactly("r", 1))), classSelectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: "model=big"}}}},
			"r:b",
		},
		"a constraint accepts what the next one refuses": {
			world{
				devices: []resourceapi.Device{gpu("a", attr("model", "x"), attr("rack", "1")), gpu("b", attr("model", "x"), attr("rack", "1")), gpu("c", attr("model", "x"), attr("rack", "2"))},
				claims:  list(distinct(match(claim("c", exactly("r", 2)), "model"), "rack")),
			},
			"r:a r:c",
		},
		"a device that consumes twice from a counter": {
			world{slices: counted(3, gpu("a", uses("set", 2), uses("set", 2)), gpu("b", uses("set", 2), uses("set", 1))), claims: list(claim("c", exactly("r", 1)))},
			"r:b",
		},
		"devices for other nodes": {
			world{slices: slicesOf(perDevice(gpu("a", on("elsewhere")), gpu("b", on("node")))), claims: list(claim("c", exactly("r", 1)))},
			"r:b",
		},
		"nothing asked for": {world{devices: twoModels}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err != nil {
				t.Fatal(err)
			}
			if got := got(r); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		world
		want string
	}{
		"a selector fails on a device": {
			world{devices: gpus(1), claims: list(claim("c", exactly("r", 1, selecting("fails"))))},
			"claim default/c: selector #0 on device gpu.example.com/node/gpu-000: CEL runtime error: no such key",
		},
		"a selector does not compile": {
			world{devices: gpus(1), claims: list(claim("c", exactly("r", 1, selecting("does not compile"))))},
			"claim default/c: selector #0: CEL compile error: syntax error",
		},
		"too many devices": {
			world{claims: list(claim("c", exactly("r", 30), exactly("s", 3)))},
			"claim default/c, request s: adding 3 devices exceeds the claim limit of 32, with 30 already accounted for",
		},
		"all devices are too many": {
			world{devices: gpus(33), claims: list(claim("c", exactly("r", -1)))},
			"adding 33 devices exceeds the claim limit of 32",
		},
		"a device with a broken node selector": {
			world{slices: slicesOf(perDevice(gpu("a", on("node")), gpu("b", func(d *resourceapi.Device) { d.NodeSelector = broken() }))), claims: list(claim("c", exactly("r", 2)))},
			"select nodes of device gpu.example.com/p/b: ",
		},
		"no such class": {
			world{claims: list(claim("c", exactly("r", 1, func(e *resourceapi.ExactDeviceRequest) { e.DeviceClassName = "gone" })))},
			"could not retrieve device class gone: class gone not found",
		},
		"a mode of a newer API": {
			world{claims: list(claim("c", exactly("r", 1, func(e *resourceapi.ExactDeviceRequest) { e.AllocationMode = "Half" })))},
			"unsupported count mode Half",
		},
		"a request of a newer API": {
			world{claims: list(claim("c", resourceapi.DeviceRequest{Name: "r"}))},
			"unsupported request type?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want an error with %q", r, err, test.want)
			}
		})
	}
}

func TestErrorIsNotReachedBehindAFit(t *testing.T) {
	w := world{devices: []resourceapi.Device{gpu("a", attr("model", "x")), gpu("b")}}
	w.claims = list(claim("c", exactly("r", 1, selecting("model=x")), exactly("s", 2, selecting("fails"))))
	if r, err := w.allocate(t); err == nil {
		t.Errorf("got %s, want the error of request s", got(r))
	}
}

func TestInvalidPoolMayBeTheReason(t *testing.T) {
	w := world{slices: []*resourceapi.ResourceSlice{pool("p", gpu("twin"), gpu("twin"))}, claims: list(claim("c", exactly("r", 1)))}
	if _, err := w.allocate(t); !errors.Is(err, allocator.ErrInvalidPools) {
		t.Errorf("got %v, want ErrInvalidPools", err)
	}
}

func list(claims ...*resourceapi.ResourceClaim) []*resourceapi.ResourceClaim { return claims }

func admin(e *resourceapi.ExactDeviceRequest) { e.AdminAccess = new(true) }

func tolerating(e *resourceapi.ExactDeviceRequest) {
	e.Tolerations = []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}
}

func slicesOf(slices ...*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice { return slices }

// counted is a pool with units in a counter set.
func counted(units int64, devices ...resourceapi.Device) []*resourceapi.ResourceSlice {
	counters := pool("counters")
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{
		Name: "set", Counters: map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(units, resource.DecimalSI)}},
	}}
	consumers := pool("devices", devices...)
	for _, s := range []*resourceapi.ResourceSlice{counters, consumers} {
		s.Spec.Pool = resourceapi.ResourcePool{Name: "p", ResourceSliceCount: 2}
	}
	return []*resourceapi.ResourceSlice{counters, consumers}
}

// perDevice is a slice with per-device node selection.
func perDevice(devices ...resourceapi.Device) *resourceapi.ResourceSlice {
	s := pool("p", devices...)
	s.Spec.NodeName, s.Spec.PerDeviceNodeSelection = nil, new(true)
	return s
}

func on(name string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) { d.NodeName = &name }
}

// broken is a node selector with a syntax error.
func broken() *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: "Unheard"}},
	}}}
}
