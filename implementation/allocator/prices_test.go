package allocator_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

// What each capacity and each counter alone would allow is refused without trying it all, and
// is not without prices.
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

// The least that was refused above is one too many.
func TestPricesLeaveWhatFits(t *testing.T) {
	for name, w := range map[string]world{
		"shares of two capacities": {devices: twoCapacities(20), claims: list(
			claim("c", exactly("r", 8, takes(1, 6))), claim("d", exactly("s", 10, takes(5, 5))), claim("e", exactly("t", 10, takes(6, 1))))},
		"two counters": {slices: twoCounters(12), claims: list(claim("c", exactly("r", 6)))},
	} {
		t.Run(name, func(t *testing.T) {
			w.prices = 1
			if r, err := w.allocate(t); err != nil || !r.Fits() {
				t.Errorf("got no fit, %v", err)
			}
		})
	}
}

// twoCapacities are devices that all differ, with 10 and a little more of two capacities.
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

// twoCounters are devices that all differ: n that need much of the first counter and n that need
// much of the second, a third of which is there.
func twoCounters(n int) []*resourceapi.ResourceSlice {
	units := func(a, b int) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{
			"a": {Value: *resource.NewQuantity(int64(a), resource.DecimalSI)}, "b": {Value: *resource.NewQuantity(int64(b), resource.DecimalSI)},
		}
	}
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
