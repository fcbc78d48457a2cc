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
	"fmt"
	"math"
	"slices"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

// Each capacity and each counter alone has enough. Only prices prove the combination unsatisfiable
// without an exhaustive search.
func TestPricesSeeTogetherWhatIsEnoughOneAtATime(t *testing.T) {
	for name, w := range map[string]world{
		"shares of two capacities": {devices: twoCapacities(20), claims: list(
			claim("c", exactly("r", 8, takes(1, 6))), claim("d", exactly("s", 12, takes(5, 5))), claim("e", exactly("t", 12, takes(6, 1))))},
		"two counters": {slices: twoCounters(12), claims: list(claim("c", exactly("r", 7)))},
	} {
		t.Run(name, func(t *testing.T) {
			w.steps = 20_000
			if r, err := w.allocate(t); err != nil || r.Fits() {
				t.Errorf("got %v, want no fit", err)
			}
			w.prices = math.MaxInt
			if _, err := w.allocate(t); !errors.Is(err, allocator.ErrTooHard) {
				t.Errorf("without prices: got %v, want ErrTooHard", err)
			}
		})
	}
}

// Prices do not refuse a solution that needs the second pass, where the first device must be left for
// another request.
func TestPricesLeaveWhatFits(t *testing.T) {
	capacities, counters := twoCapacities(20), twoCounters(12)
	attr("kind", "first")(&capacities[0])
	takesMost(counters)
	for name, w := range map[string]world{
		"shares of two capacities": {devices: capacities, claims: list(
			claim("b", exactly("q", 1, takes(10, 10))),
			claim("c", exactly("r", 8, takes(1, 6))), claim("d", exactly("s", 9, takes(5, 5))), claim("e", exactly("t", 9, takes(6, 1))),
			claim("f", exactly("u", 1, takes(10, 10), selecting("kind=first"))))},
		"two counters":              {slices: counters, claims: list(claim("c", exactly("r", 6)))},
		"two counters and a refill": {slices: refilled(counters), claims: list(claim("c", exactly("r", 8)))},
	} {
		t.Run(name, func(t *testing.T) {
			w.prices = 1
			if r, err := w.allocate(t); err != nil || !r.Fits() {
				t.Errorf("got no fit, %v", err)
			}
		})
	}
}

// takesMost inserts a first device that consumes most of both counters.
func takesMost(of []*resourceapi.ResourceSlice) {
	most := gpu("first")
	most.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: units(60, 60)}}
	of[0].Spec.Devices = slices.Insert(of[0].Spec.Devices, 0, most)
}

// refilled inserts a first device with negative consumption of both counters, as Kubernetes allows.
func refilled(of []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	refill := gpu("refill")
	refill.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: units(-31, -31)}}
	devices := of[0].DeepCopy()
	devices.Spec.Devices = slices.Insert(devices.Spec.Devices, 0, refill)
	return []*resourceapi.ResourceSlice{devices, of[1]}
}

// twoCapacities are distinct devices with slightly more than 10 of two capacities.
func twoCapacities(n int) []resourceapi.Device {
	var devices []resourceapi.Device
	for i := range n {
		d := gpu(fmt.Sprintf("gpu-%02d", i), shared(fmt.Sprintf("%dm", 10_000+i)))
		d.Capacity["cores"] = resourceapi.DeviceCapacity{Value: resource.MustParse("10")}
		devices = append(devices, d)
	}
	return devices
}

func takes(memory, cores int64) func(*resourceapi.ExactDeviceRequest) {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{
			"memory": *resource.NewQuantity(memory, resource.DecimalSI), "cores": *resource.NewQuantity(cores, resource.DecimalSI),
		}}
	}
}

// twoCounters are distinct devices: n use much of the first counter, n use much of the second. Each
// counter has only 100 units.
func twoCounters(n int) []*resourceapi.ResourceSlice {
	var devices []resourceapi.Device
	for i := range n {
		for k, counters := range []map[string]resourceapi.Counter{units(1, 30+i), units(30+i, 1)} {
			d := gpu(fmt.Sprintf("gpu-%02d-%d", i, k))
			d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counters}}
			devices = append(devices, d)
		}
	}
	slice, counters := pool("node", devices...), pool("node")
	counters.Name, counters.UID = "counters", "counters"
	counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: units(100, 100)}}
	slice.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
	return []*resourceapi.ResourceSlice{slice, counters}
}

func units(a, b int) map[string]resourceapi.Counter {
	return map[string]resourceapi.Counter{
		"a": {Value: *resource.NewQuantity(int64(a), resource.DecimalSI)}, "b": {Value: *resource.NewQuantity(int64(b), resource.DecimalSI)},
	}
}

// A device that refills a counter is taken first, even if the one before it fits: later devices need
// more than is left.
func TestBoundsLeaveWhatARefillLetsFit(t *testing.T) {
	consuming := func(kind string, units ...int64) []resourceapi.Device {
		var devices []resourceapi.Device
		for i, n := range units {
			devices = append(devices, gpu(fmt.Sprintf("%s-%d", kind, i), attr("kind", kind), uses("a", n)))
		}
		return devices
	}
	for name, needs := range map[string][]int64{"three, of which two fit": {50, 50, 50}, "one that never fits": {130}} {
		t.Run(name, func(t *testing.T) {
			devices := slices.Concat([]resourceapi.Device{gpu("plain", attr("kind", "first"))}, consuming("first", -50), consuming("then", needs...))
			slice, counters := pool("node", devices...), pool("node")
			counters.Name, counters.UID = "counters", "counters"
			counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "a", Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("100")}}}}
			slice.Spec.Pool.ResourceSliceCount, counters.Spec.Pool.ResourceSliceCount = 2, 2
			w := world{slices: []*resourceapi.ResourceSlice{slice, counters}, claims: list(claim("c",
				exactly("q", 1, selecting("kind=first")), exactly("r", int64(len(needs)), selecting("kind=then"))))}
			if r, err := w.allocate(t); err != nil || !r.Fits() {
				t.Errorf("got no fit, %v", err)
			}
		})
	}
}
