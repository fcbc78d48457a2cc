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
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

// Bugs that were published for kube-scheduler's allocator. This one had most of them.
func TestPublishedBugs(t *testing.T) {
	sharedBandwidth := func(published string) resourceapi.Device {
		return gpu("a", func(d *resourceapi.Device) {
			d.AllowMultipleAllocations = new(true)
			d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{resourceapi.QualifiedName(published): {Value: resource.MustParse("10")}}
		})
	}
	asking := func(names ...string) []*resourceapi.ResourceClaim {
		return list(claim("c", exactly("r", 1, func(e *resourceapi.ExactDeviceRequest) {
			e.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{}}
			for _, name := range names {
				e.Capacity.Requests[resourceapi.QualifiedName(name)] = resource.MustParse("6")
			}
		})))
	}
	versions := func(a, b string) []resourceapi.Device {
		return []resourceapi.Device{gpu("a", driverVersion(a)), gpu("b", driverVersion(b))}
	}
	for name, test := range map[string]struct {
		world
		want string
	}{
		"kubernetes#142202: a capacity is requested with the driver's domain": {
			world{devices: []resourceapi.Device{sharedBandwidth("bandwidth")}, claims: asking(driver + "/bandwidth")},
			"r:a",
		},
		"kubernetes#142202: a capacity is published with the driver's domain": {
			world{devices: []resourceapi.Device{sharedBandwidth(driver + "/bandwidth")}, claims: asking("bandwidth")},
			"r:a",
		},
		"kubernetes#142202: a share was recorded with the driver's domain": {
			world{devices: []resourceapi.Device{sharedBandwidth("bandwidth")}, others: list(sharing("a", driver+"/bandwidth", "6")), claims: asking("bandwidth")},
			"claim default/c, request r wants 1 device, 1 of the node's 1 match its selectors: 1 without enough capacity",
		},
		"kubernetes#142202: somebody else's domain is another capacity": {
			world{devices: []resourceapi.Device{sharedBandwidth("bandwidth")}, claims: asking("example.org/bandwidth")},
			"claim default/c, request r wants 1 device, 1 of the node's 1 match its selectors: 1 without enough capacity",
		},
		"semver: versions that differ in build metadata are equal": {
			world{devices: versions("1.0.0+a", "1.0.0+b"), claims: list(match(claim("c", exactly("r", 2)), "version"))},
			"r:a r:b",
		},
		"semver: they are not distinct": {
			world{devices: versions("1.0.0+a", "1.0.0+b"), claims: list(distinct(claim("c", exactly("r", 2)), "version"))},
			"claim default/c, request r wants 2 devices, 2 of the node's 2 match its selectors: 1 excluded by constraints",
		},
		"semver: pre-releases differ": {
			world{devices: versions("1.0.0-a+x", "1.0.0-b+x"), claims: list(match(claim("c", exactly("r", 2)), "version"))},
			"claim default/c, request r wants 2 devices, 2 of the node's 2 match its selectors: 1 excluded by constraints",
		},
		"kubernetes#140798: a device with a live share stopped allowing several allocations": {
			world{devices: gpus(1), others: list(sharing("gpu-000", "memory", "1Gi")), claims: list(claim("c", exactly("r", 1)))},
			"claim default/c, request r wants 1 device, 1 of the node's 1 match its selectors: 1 allocated",
		},
		"kubernetes#140729: admin access consumes no counters": {
			world{slices: counted(3, gpu("a", uses("set", 3)), gpu("b", uses("set", 3))), claims: list(claim("c", exactly("r", 1)), claim("d", exactly("s", 2, admin)))},
			"r:a | s:a s:b",
		},
		"kubernetes#140729: shares are charged behind admin access": {
			world{
				slices: counted(3, gpu("a", uses("set", 3), shared("10"))),
				claims: list(claim("c", exactly("r", 1, admin, memory("1"))), claim("d", exactly("s", 1, memory("1"))), claim("e", exactly("t", 1, memory("1")))),
			},
			"r:a | s:a | t:a",
		},
		"kubernetes#140729: admin access does not pay for a share": {
			world{
				slices: counted(2, gpu("a", uses("set", 3), shared("10"))),
				claims: list(claim("c", exactly("r", 1, admin, memory("1"))), claim("d", exactly("s", 1, memory("1")))),
			},
			"claim default/d, request s wants 1 device, 1 of the node's 1 match its selectors: 1 without enough shared counters",
		},
		"kubernetes#140802: an allocated partition is not published any more": {
			world{slices: counted(3, gpu("b", uses("set", 1)), gpu("plain")), others: list(holding("p", "gone")), claims: list(claim("c", exactly("r", 2)))},
			"claim default/c, request r wants 2 devices, 2 of the node's 2 match its selectors: 1 without enough shared counters",
		},
		"kubernetes#140802: devices without counters stay available": {
			world{slices: counted(3, gpu("b", uses("set", 1)), gpu("plain")), others: list(holding("p", "gone")), claims: list(claim("c", exactly("r", 1)))},
			"r:plain",
		},
		"kubernetes#140802: an allocated device without counters takes none": {
			world{slices: counted(3, gpu("b", uses("set", 1)), gpu("plain")), others: list(holding("p", "plain")), claims: list(claim("c", exactly("r", 1)))},
			"r:b",
		},
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

// Consumed capacity is recorded by its published name.
func TestConsumedCapacityHasItsPublishedName(t *testing.T) {
	for _, published := range []resourceapi.QualifiedName{"memory", driver + "/memory"} {
		device := gpu("a", shared("10"))
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{published: device.Capacity["memory"]}
		r, err := world{devices: []resourceapi.Device{device}, claims: list(claim("c", exactly("r", 1, memory("4"))))}.allocate(t)
		if err != nil || !r.Fits() {
			t.Fatalf("got %v, %v", r.Reason(), err)
		}
		consumed := r.Allocations(func() types.UID { return shareID })[0].Devices.Results[0].ConsumedCapacity
		if q, ok := consumed[published]; !ok || len(consumed) != 1 || q.Value() != 4 {
			t.Errorf("published as %s: consumed %v", published, consumed)
		}
	}
}

// These errors rejected all nodes because of one.
func TestErrorsOfOneNode(t *testing.T) {
	incomplete := pool("incomplete", gpu("a"))
	incomplete.Spec.Pool.ResourceSliceCount = 2
	twoTerms := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{nameTerm("node"), nameTerm("other")}}
	for name, test := range map[string]struct {
		world
		want string
	}{
		"kubernetes#141829: all devices of an incomplete pool": {
			world{slices: slicesOf(incomplete), claims: list(claim("c", exactly("r", -1)))},
			"claim default/c, request r: asks for all devices, but resource pool gpu.example.com/incomplete is currently being updated",
		},
		"kubernetes#141829: all devices of an invalid pool": {
			world{slices: slicesOf(pool("p", gpu("a"), gpu("a"))), claims: list(claim("c", exactly("r", -1)))},
			"claim default/c, request r: asks for all devices, but resource pool gpu.example.com/p is currently invalid",
		},
		"kubernetes#141214: a stored device selector has two terms": {
			world{slices: slicesOf(perDevice(gpu("a", func(d *resourceapi.Device) { d.NodeSelector = twoTerms }))), claims: list(claim("c", exactly("r", 1)))},
			"create NodeSelector for claim default/c: unsupported ResourceSlice.NodeSelector with 2 terms",
		},
		"a device selector does not parse": {
			world{slices: slicesOf(perDevice(gpu("a", on("node")), gpu("b", func(d *resourceapi.Device) { d.NodeSelector = broken() }))), claims: list(claim("c", exactly("r", 2)))},
			"select nodes of device gpu.example.com/p/b: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := test.allocate(t)
			if !errors.Is(err, allocator.ErrThisNode) || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, %v; want an error of this node: %s", r, err, test.want)
			}
		})
	}
}

func TestCapacityByBothOfItsNames(t *testing.T) {
	w := world{devices: gpus(1, shared("10")), claims: list(claim("c", exactly("r", 1, memory("1"))))}
	w.claims[0].Spec.Devices.Requests[0].Exactly.Capacity.Requests[driver+"/memory"] = resource.MustParse("2")
	const want = `claim default/c, request r: checking capacity for device gpu.example.com/node/gpu-000: ` +
		`capacity "memory": also requested as "gpu.example.com/memory"`
	if r, err := w.allocate(t); err == nil || err.Error() != want || errors.Is(err, allocator.ErrThisNode) {
		t.Errorf("got %v, %v; want %s", r, err, want)
	}
}

// A device that publishes a capacity by both names was allocated at random, and had capacities that it lacks.
func TestDeviceWithBothNamesOfACapacity(t *testing.T) {
	missing := memory("1")
	for name, test := range map[string]struct {
		change func(*resourceapi.ExactDeviceRequest)
		want   string
	}{
		"all of it":                 {func(*resourceapi.ExactDeviceRequest) {}, "r:a"},
		"more than the smaller one": {memory("11"), "claim default/c, request r wants 1 device, 1 of the node's 1 match its selectors: 1 without enough capacity"},
		"a capacity that it lacks": {
			func(e *resourceapi.ExactDeviceRequest) {
				missing(e)
				e.Capacity.Requests["cores"] = resource.MustParse("1")
			},
			"claim default/c, request r wants 1 device, 1 of the node's 1 match its selectors: 1 without enough capacity",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 32 { // the order of maps is random
				device := gpu("a", shared("10"))
				device.Capacity[driver+"/memory"] = resourceapi.DeviceCapacity{Value: resource.MustParse("20")}
				r, err := world{devices: []resourceapi.Device{device}, claims: list(claim("c", exactly("r", 1, test.change)))}.allocate(t)
				if err != nil {
					t.Fatal(err)
				}
				if got := got(r); got != test.want {
					t.Fatalf("got  %s\nwant %s", got, test.want)
				}
			}
		})
	}
}

func driverVersion(v string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"version": {VersionValue: &v}}
	}
}

// holding is another claim with a device of a pool.
func holding(pool, device string) *resourceapi.ResourceClaim {
	c := claim("holder of " + device)
	c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: driver, Pool: pool, Device: device}},
	}}
	return c
}

// sharing is another claim with a share of a device of pool "node".
func sharing(device, capacity, amount string) *resourceapi.ResourceClaim {
	c := holding("node", device)
	result := &c.Status.Allocation.Devices.Results[0]
	result.ShareID = new(shareID)
	result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{resourceapi.QualifiedName(capacity): resource.MustParse(amount)}
	return c
}

func nameTerm(node string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
		Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node},
	}}}
}
