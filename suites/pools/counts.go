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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Counts has a pool of two slices and an outdated one, with devices in use and tainted, in slices
// and by rule. Allocated devices count once, without admin access. Later changes appear only in
// later requests.
var Counts = harness.Case{Meta: spec.Meta{
	ID:     "pools/counts",
	Checks: "A pool status request reports the total, allocated, tainted and available devices of the newest generation.",
	Requires: []spec.RequirementID{
		"kep-5677/pool-totals", "kep-5677/pool-newest-generation", "kep-5677/pool-allocated", "kep-5677/pool-admin-access", "kep-5677/pool-unavailable", "kep-5677/pool-node",
		"kep-5677/answered-once",
	},
	Needs: needs(spec.DeviceTaints, spec.DeviceTaintRules, spec.AdminAccess, spec.ConsumableCapacity),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	edit.AllowAdminAccess(t)
	old := t.Slice("old", t.Nodes[0], profiles.Device(7, "a", "8Gi"), profiles.Device(8, "a", "8Gi"))
	first := t.Slice("first", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"), profiles.Device(2, "a", "8Gi"))
	second := t.Slice("second", t.Nodes[0], profiles.Device(3, "a", "8Gi"), profiles.Device(4, "a", "8Gi"), profiles.Device(5, "a", "8Gi"))
	for i, s := range []*resourceapi.ResourceSlice{old, first, second} {
		s.Spec.Pool = resourceapi.ResourcePool{Name: "pool", Generation: 2 + int64(min(i, 1)), ResourceSliceCount: 2}
	}
	taint := func(effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
		return resourceapi.DeviceTaint{Key: "example.com/taint", Effect: effect}
	}
	first.Spec.Devices[1].Taints = []resourceapi.DeviceTaint{taint(resourceapi.DeviceTaintEffectNoSchedule)}
	first.Spec.Devices[2].Taints = []resourceapi.DeviceTaint{taint(resourceapi.DeviceTaintEffectNone)}
	first.Spec.Devices[0].AllowMultipleAllocations = ptr.To(true)
	rule := objects.TaintRule(t.DriverName(), t.DriverName(), taint(resourceapi.DeviceTaintEffectNoExecute))
	rule.Spec.DeviceSelector.Pool, rule.Spec.DeviceSelector.Device = ptr.To("pool"), ptr.To("device-3")
	t.Create(old, first, second, rule)
	t.Publish("network", "", profiles.Device(0, "a", "8Gi"))
	share := func(id string) resourceapi.DeviceRequestAllocationResult {
		return shareOf("device-0", id, map[resourceapi.QualifiedName]string{"memory": "2Gi"})
	}
	allocate(t, "first", class, "pool", share("b5a2e4ba-4a5a-4a7b-8a54-31a8a8a9c001"))
	allocate(t, "second", class, "pool", share("b5a2e4ba-4a5a-4a7b-8a54-31a8a8a9c002"))
	allocate(t, "admin", class, "pool", resourceapi.DeviceRequestAllocationResult{Device: "device-4", AdminAccess: ptr.To(true)})

	const shared = "; shared: 0 fully, 1 partially available, memory 8Gi - 4Gi = 4Gi"
	network := `network on "", generation 1, 1 slices: 1 devices, 0 allocated, 1 available, 0 unavailable`
	before := []string{
		"Complete of 2 pools", network, `pool on "` + t.Nodes[0] + `", generation 3, 2 slices: 6 devices, 1 allocated, 3 available, 2 unavailable` + shared,
	}
	expectAnswer(t, "the status of both pools", about(t), gomega.Equal(before))
	ask(t, "early", about(t))
	t.Expect(answered(t, "early")).To(gomega.Equal(before), "status of a request")

	allocate(t, "third", class, "pool", resourceapi.DeviceRequestAllocationResult{Device: "device-5"})
	after := []string{
		"Complete of 2 pools", network, `pool on "` + t.Nodes[0] + `", generation 3, 2 slices: 6 devices, 2 allocated, 2 available, 2 unavailable` + shared,
	}
	expectAnswer(t, "the status with one more device in use", about(t), gomega.Equal(after))
	t.Expect(answered(t, "early")).To(gomega.Equal(before), "status of the earlier request")
}}
