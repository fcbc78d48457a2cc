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

package allocation

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CapacityOfEach asks for several devices with a capacity.
var CapacityOfEach = harness.Case{Meta: spec.Meta{
	ID:       "allocation/capacity-of-each",
	Checks:   "Each device of a request has at least the requested capacity; without enough such devices the pod waits.",
	Requires: []spec.RequirementID{"kep-5075/count-needs-capacity", "kep-5075/all-needs-capacity"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	sized := func(name, size string) resourceapi.Device {
		return shared(name, map[string]resourceapi.DeviceCapacity{"memory": amount(size)})
	}
	other := shared("other", map[string]resourceapi.DeviceCapacity{"cores": amount("8")})
	t.Publish("pool", t.Nodes[0], other, sized("small", "1Gi"), sized("large", "8Gi"), sized("also-small", "1Gi"), sized("also-large", "8Gi"))
	several := func(name string, mode resourceapi.DeviceAllocationMode, number int64, memory string) *resourceapi.ResourceClaim {
		request := capacity("req", class, map[string]string{"memory": memory})
		request.Exactly.AllocationMode, request.Exactly.Count = mode, number
		// Otherwise one device may be all of them.
		attribute := resourceapi.FullyQualifiedName(t.DriverName() + "/name")
		return constrained(objects.Claim(name, request), resourceapi.DeviceConstraint{DistinctAttribute: &attribute})
	}
	edit.Slice(t, "pool-"+t.DriverName(), func(s *resourceapi.ResourceSlice) {
		for i := range s.Spec.Devices {
			s.Spec.Devices[i].Attributes = device("", map[string]any{"name": s.Spec.Devices[i].Name}).Attributes
		}
	})
	exact, every := resourceapi.DeviceAllocationModeExactCount, resourceapi.DeviceAllocationModeAll

	t.Expect(use(t, several("two", exact, 2, "2Gi"))).To(matchers.HaveDevices("large", "also-large"), "two devices with enough capacity")
	wait(t, several("three", exact, 3, "2Gi"))
	t.RemovePod("three")
	wait(t, several("all", every, 0, "7Gi"))
	release(t, "two")
	t.Expect(used(t, "all")).To(matchers.HaveDevices("large", "also-large"), "all devices with enough capacity")
	t.Expect(use(t, several("little", exact, 1, "1Gi"))).To(matchers.HaveDevices("small"), "the first device with enough capacity")
	wait(t, several("every", every, 0, "1Gi"))
}}
