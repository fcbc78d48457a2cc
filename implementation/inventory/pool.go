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

package inventory

import (
	resourceapi "k8s.io/api/resource/v1"
)

// Pool is one generation of a resource pool as seen from a node. It is immutable and may be shared by
// nodes with the same view.
type Pool struct {
	ID PoolID
	// Incomplete means the number of slices differs from the announced one, or slices announce different
	// numbers. Such a pool has no devices; requests for all devices must wait for it.
	Incomplete bool
	// Invalid is the reason why the pool is unusable (duplicate device or counter set names, missing
	// counters), empty if it is usable.
	Invalid string
	// Counters are the shared counters of the pool, by set and name, nil if there are none.
	Counters map[string]map[string]resourceapi.Counter
	// Consumers are all devices of the pool with counter consumption, by name, including devices
	// unreachable from this node: their consumption counts on every node. nil if there are none.
	Consumers map[string]*Device
	// Plain are the names of the other devices of a pool with counters, nil if there are none.
	Plain map[string]bool
	// Refilled means some consumption is negative, as Kubernetes allows.
	Refilled bool
}

// Usable reports whether devices of the pool can be allocated.
func (p *Pool) Usable() bool { return !p.Incomplete && p.Invalid == "" }

// newPool validates a complete pool. duplicate is a device name that occurs more than once in its generation, or empty.
func newPool(id PoolID, whole []*publishedSlice, duplicate string, features Features) *Pool {
	if duplicate != "" {
		return &Pool{ID: id, Invalid: "more than one device is named " + duplicate}
	}
	if !features.PartitionableDevices {
		return &Pool{ID: id}
	}
	counters, reason := collectCounters(whole)
	if reason != "" {
		return &Pool{ID: id, Invalid: reason}
	}
	consumers, reason := collectConsumers(whole, counters)
	if reason != "" {
		return &Pool{ID: id, Invalid: reason}
	}
	return &Pool{ID: id, Counters: counters, Consumers: consumers, Plain: plain(whole, counters, consumers), Refilled: refilled(consumers)}
}

func plain(whole []*publishedSlice, counters map[string]map[string]resourceapi.Counter, consumers map[string]*Device) map[string]bool {
	if counters == nil {
		return nil
	}
	var names map[string]bool
	for _, slice := range whole {
		for i := range slice.devices {
			name := slice.devices[i].ID.Device
			if consumers[name] != nil {
				continue
			}
			if names == nil {
				names = make(map[string]bool)
			}
			names[name] = true
		}
	}
	return names
}

func refilled(consumers map[string]*Device) bool {
	for _, device := range consumers {
		for _, consumption := range device.Spec.ConsumesCounters {
			for _, counter := range consumption.Counters {
				if counter.Value.Sign() < 0 {
					return true
				}
			}
		}
	}
	return false
}

func duplicateDevice(slices []*publishedSlice) string {
	total := 0
	for _, slice := range slices {
		total += len(slice.devices)
	}
	names := make(map[string]struct{}, total)
	for _, slice := range slices {
		for i := range slice.devices {
			name := slice.devices[i].ID.Device
			if _, found := names[name]; found {
				return name
			}
			names[name] = struct{}{}
		}
	}
	return ""
}

func collectCounters(whole []*publishedSlice) (counters map[string]map[string]resourceapi.Counter, invalid string) {
	for _, slice := range whole {
		for i := range slice.Spec.SharedCounters {
			set := &slice.Spec.SharedCounters[i]
			if _, found := counters[set.Name]; found {
				return nil, "more than one counter set is named " + set.Name
			}
			if counters == nil {
				counters = make(map[string]map[string]resourceapi.Counter)
			}
			counters[set.Name] = set.Counters
		}
	}
	return counters, ""
}

func collectConsumers(whole []*publishedSlice, counters map[string]map[string]resourceapi.Counter) (consumers map[string]*Device, invalid string) {
	for _, slice := range whole {
		for i := range slice.devices {
			device := &slice.devices[i]
			if len(device.Spec.ConsumesCounters) == 0 {
				continue
			}
			if reason := checkConsumption(device, counters); reason != "" {
				return nil, reason
			}
			if consumers == nil {
				consumers = make(map[string]*Device)
			}
			consumers[device.ID.Device] = device
		}
	}
	return consumers, ""
}

func checkConsumption(device *Device, counters map[string]map[string]resourceapi.Counter) (invalid string) {
	for _, consumption := range device.Spec.ConsumesCounters {
		set, found := counters[consumption.CounterSet]
		if !found {
			return "device " + device.ID.Device + " consumes from counter set " + consumption.CounterSet + ", which does not exist"
		}
		missing, found := "", false
		for name := range consumption.Counters {
			if _, exists := set[name]; !exists && (!found || name < missing) {
				missing, found = name, true
			}
		}
		if found {
			return "device " + device.ID.Device + " consumes counter " + missing + " of counter set " + consumption.CounterSet + ", which does not exist"
		}
	}
	return ""
}
