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

package pools

import (
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PartitionSummary has a pool with a whole device and halves of it. The type comes from the slice's
// attribute, otherwise from the request's; without either there is no summary. Partitions of one type
// with different counters are reported as an error in addition to the numbers.
var PartitionSummary = harness.Case{Meta: spec.Meta{
	ID:       "pools/partition-summary",
	Checks:   "A pool status request reports total and still allocatable partitions of a pool with counters by type.",
	Requires: []spec.RequirementID{"kep-5677/partition-summary", "kep-5677/partition-default", "kep-5677/partition-cost-mismatch"},
	Needs:    needs(spec.PartitionableDevices, spec.PartitionTypes),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	attribute := func(name string) *resourceapi.FullyQualifiedName {
		return ptr.To(resourceapi.FullyQualifiedName(t.DriverName() + "/" + name))
	}
	// One slice per device, as the API server validates slices one by one.
	publish := func(pool string, types *resourceapi.FullyQualifiedName, devices ...resourceapi.Device) {
		counters := t.Slice(pool+"-counters", "")
		counters.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "all", Counters: counter(80)}}
		slices := []*resourceapi.ResourceSlice{counters}
		for _, d := range devices {
			s := t.Slice(pool+"-"+d.Name, "", d)
			s.Spec.PartitionTypeAttribute = types
			slices = append(slices, s)
		}
		for _, s := range slices {
			s.Spec.Pool = resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: int64(len(slices))}
			t.Create(s)
		}
	}
	devices := []resourceapi.Device{partition("whole", "Whole", 80), partition("half-0", "Half", 40), partition("half-1", "Half", 40)}
	publish("declared", attribute("profile"), devices...)
	publish("undeclared", nil, devices...)
	publish("uneven", attribute("profile"), partition("half-0", "Half", 40), partition("half-1", "Half", 20))
	line := func(pool, numbers string) string { return pool + ` on "", generation 1, ` + numbers }
	const unused = "4 slices: 3 devices, 0 allocated, 3 available, 0 unavailable"
	declared := line("declared", unused+"; profile Half: 2 of 2; profile Whole: 1 of 1")
	uneven := line("uneven", "3 slices: 2 devices, 0 allocated, 2 available, 0 unavailable; PartitionCostMismatch")

	expectAnswer(t, "partitions, none of them in use", about(t), gomega.Equal([]string{
		"Complete of 3 pools", declared, line("undeclared", unused), uneven,
	}))
	named := about(t)
	named.DefaultPartitionTypeAttribute = ptr.To(string(*attribute("uses")))
	expectAnswer(t, "partitions of the requested types", named, gomega.Equal([]string{
		"Complete of 3 pools", declared, line("undeclared", unused+"; uses 40: 2 of 2; uses 80: 1 of 1"), uneven,
	}))
	allocate(t, "claim", class, "declared", resourceapi.DeviceRequestAllocationResult{Device: "half-0"})
	expectAnswer(t, "partitions, half of them in use", about(t, "declared"), gomega.Equal([]string{
		"Complete of 1 pools", line("declared", "4 slices: 3 devices, 1 allocated, 2 available, 0 unavailable; profile Half: 1 of 2; profile Whole: 0 of 1"),
	}))
}}

// counter returns a counter with this value.
func counter(value int64) map[string]resourceapi.Counter {
	return map[string]resourceapi.Counter{"memory": {Value: *resource.NewQuantity(value, resource.DecimalSI)}}
}

// partition returns a device consuming this value of the counter.
func partition(name, profile string, uses int64) resourceapi.Device {
	return resourceapi.Device{
		Name: name,
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"profile": {StringValue: &profile}, "uses": {StringValue: ptr.To(fmt.Sprint(uses))},
		},
		ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "all", Counters: counter(uses)}},
	}
}
