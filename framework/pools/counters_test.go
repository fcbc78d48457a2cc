package pools

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestWrongCounters(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(sets, devices *resourceapi.ResourceSlice)
		want   []string
	}{
		"good": {func(_, _ *resourceapi.ResourceSlice) {}, nil},
		"no set": {func(_, devices *resourceapi.ResourceSlice) {
			devices.Spec.Devices[0].ConsumesCounters[0].CounterSet = "other"
		}, []string{
			"pool p, device device-0: there is no set other",
		}},
		"no counter": {func(sets, _ *resourceapi.ResourceSlice) {
			sets.Spec.SharedCounters[0].Counters = map[string]resourceapi.Counter{"other": {}}
		}, []string{
			"pool p, device device-0: set device has no counter memory",
			"pool p, device device-1: set device has no counter memory",
			"pool p, device device-2: set device has no counter memory",
		}},
		"too little": {func(sets, devices *resourceapi.ResourceSlice) {
			sets.Spec.SharedCounters[0].Counters["memory"] = devices.Spec.Devices[1].ConsumesCounters[0].Counters["memory"]
		}, []string{
			"pool p, device device-0: it consumes 8Gi of counter memory, set device has 4Gi",
		}},
		"twice": {func(sets, _ *resourceapi.ResourceSlice) {
			sets.Spec.SharedCounters = append(sets.Spec.SharedCounters, sets.Spec.SharedCounters[0])
		}, []string{
			"pool p: set device is there twice",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sets, devices := resourceapi.ResourceSlice{}, resourceapi.ResourceSlice{}
			memory := func(amount string) map[string]resourceapi.Counter {
				return map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(amount)}}
			}
			sets.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "device", Counters: memory("8Gi")}}
			for i, amount := range []string{"8Gi", "4Gi", "4Gi"} {
				devices.Spec.Devices = append(devices.Spec.Devices, resourceapi.Device{
					Name: fmt.Sprintf("device-%d", i), ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "device", Counters: memory(amount)}},
				})
			}
			tc.change(&sets, &devices)
			got := Pool{Name: "p", Slices: []resourceapi.ResourceSlice{sets, devices}}.WrongCounters()
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
