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

package audit

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// counterID is a shared counter of a pool.
type counterID struct{ driver, pool, set, name string }

func (c counterID) String() string {
	return strings.Join([]string{c.driver, c.pool, c.set, c.name}, "/")
}

type poolID struct{ driver, pool string }

// inventory has the newest generation of each pool.
type inventory struct {
	// complete are the pools with all slices present.
	complete map[poolID]bool
	devices  map[deviceID]resourceapi.Device
	// counters are in thousandths.
	counters map[counterID]int64
	// places are the locations of devices not usable everywhere.
	places map[deviceID]place
}

// place is a device's location; the empty one is everywhere.
type place struct {
	node     string
	selector *corev1.NodeSelector
}

func newInventory(published []resourceapi.ResourceSlice) inventory {
	newest := map[poolID]int64{}
	for _, s := range published {
		id := poolID{s.Spec.Driver, s.Spec.Pool.Name}
		newest[id] = max(newest[id], s.Spec.Pool.Generation)
	}
	there := map[poolID]int64{}
	in := inventory{complete: map[poolID]bool{}, devices: map[deviceID]resourceapi.Device{}, counters: map[counterID]int64{}, places: map[deviceID]place{}}
	for _, s := range published {
		driver, pool := s.Spec.Driver, s.Spec.Pool.Name
		if s.Spec.Pool.Generation < newest[poolID{driver, pool}] {
			continue
		}
		there[poolID{driver, pool}]++
		in.complete[poolID{driver, pool}] = there[poolID{driver, pool}] == s.Spec.Pool.ResourceSliceCount
		for _, set := range s.Spec.SharedCounters {
			for name, c := range set.Counters {
				in.counters[counterID{driver, pool, set.Name, name}] = c.Value.MilliValue()
			}
		}
		for _, d := range s.Spec.Devices {
			id := deviceID{driver, pool, d.Name}
			in.devices[id] = d
			in.places[id] = place{ptr.Deref(s.Spec.NodeName, ""), s.Spec.NodeSelector}
			if ptr.Deref(s.Spec.PerDeviceNodeSelection, false) {
				in.places[id] = place{ptr.Deref(d.NodeName, ""), d.NodeSelector}
			}
		}
	}
	return in
}

// CompletePools counts the pools with all slices of their newest generation present.
func CompletePools(published []resourceapi.ResourceSlice) int {
	n := 0
	for _, complete := range newInventory(published).complete {
		if complete {
			n++
		}
	}
	return n
}
