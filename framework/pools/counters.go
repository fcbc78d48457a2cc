package pools

import (
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// WrongCounters says what is wrong with the counters of a pool (KEP-4815): sets of one name, of
// which the API server sees only those of one slice, and devices that consume what there is
// not. Empty if nothing is.
func (p Pool) WrongCounters() []string {
	var wrong []string
	sets := map[string]map[string]resourceapi.Counter{}
	for _, s := range p.Slices {
		for _, set := range s.Spec.SharedCounters {
			if _, twice := sets[set.Name]; twice {
				wrong = append(wrong, fmt.Sprintf("pool %s: set %s is there twice", p.Name, set.Name))
			}
			sets[set.Name] = set.Counters
		}
	}
	for _, d := range p.Devices() {
		for _, consumed := range d.ConsumesCounters {
			for _, problem := range lacking(sets, consumed) {
				wrong = append(wrong, fmt.Sprintf("pool %s, device %s: %s", p.Name, d.Name, problem))
			}
		}
	}
	return wrong
}

// lacking is what a device consumes that is not there.
func lacking(sets map[string]map[string]resourceapi.Counter, consumed resourceapi.DeviceCounterConsumption) (wrong []string) {
	has, found := sets[consumed.CounterSet]
	if !found {
		return []string{"there is no set " + consumed.CounterSet}
	}
	for _, name := range slices.Sorted(maps.Keys(consumed.Counters)) {
		want := consumed.Counters[name].Value
		total, found := has[name]
		switch {
		case !found:
			wrong = append(wrong, fmt.Sprintf("set %s has no counter %s", consumed.CounterSet, name))
		case total.Value.Cmp(want) < 0:
			wrong = append(wrong, fmt.Sprintf("it consumes %s of counter %s, set %s has %s", want.String(), name, consumed.CounterSet, total.Value.String()))
		}
	}
	return wrong
}
