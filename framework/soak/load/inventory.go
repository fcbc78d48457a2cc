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

package load

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Attributes for selectors of classes and requests.
const (
	use   = "use"
	model = "model"
	units = "units"

	memory = "memory"
)

// Inventory is each node's inventory for these kinds: small, so pods wait for one another's devices.
func Inventory(kinds []Kind) spec.Profile {
	profile := spec.Profile{Name: "soak"}
	for _, k := range classes(kinds) {
		u := k.Use
		pool := spec.Pool{Suffix: u}
		switch u {
		case plain:
			for i := range 5 {
				pool.Devices = append(pool.Devices, device(fmt.Sprintf("device-%d", i), u, "a", 1))
			}
			pool.Devices = append(pool.Devices, device("device-5", u, "b", 1))
		case parts:
			for i := range 2 {
				addGPU(&pool, fmt.Sprintf("gpu-%d", i))
			}
		case shares:
			for i := range 2 {
				d := device(fmt.Sprintf("device-%d", i), u, "a", 1)
				d.AllowMultipleAllocations = ptr.To(true)
				d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{memory: {Value: resource.MustParse("16Gi")}}
				pool.Devices = append(pool.Devices, d)
			}
		case extended:
			for i := range 3 {
				pool.Devices = append(pool.Devices, device(fmt.Sprintf("device-%d", i), u, "a", 1))
			}
		}
		profile.Pools = append(profile.Pools, pool)
	}
	return profile
}

// addGPU adds a device of four units, allocatable whole, in halves and in quarters.
func addGPU(pool *spec.Pool, name string) {
	const all = 4
	pool.SharedCounters = append(pool.SharedCounters, resourceapi.CounterSet{Name: name, Counters: counters(all)})
	for _, size := range []int{all, all / 2, all / 4} {
		for i := range all / size {
			d := device(fmt.Sprintf("%s-%dof%d-%d", name, size, all, i), parts, "a", size)
			d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: name, Counters: counters(size)}}
			pool.Devices = append(pool.Devices, d)
		}
	}
}

func counters(n int) map[string]resourceapi.Counter {
	return map[string]resourceapi.Counter{units: {Value: *resource.NewQuantity(int64(n), resource.DecimalSI)}}
}

func device(name, of, kind string, size int) resourceapi.Device {
	return resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
		use: {StringValue: &of}, model: {StringValue: &kind}, units: {IntValue: ptr.To(int64(size))},
	}}
}
