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
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CapacityUsedUp shares a device until nothing is left of it.
var CapacityUsedUp = harness.Case{Meta: spec.Meta{
	ID:       "allocation/capacity-used-up",
	Checks:   "Claims share a device until its capacity is used up, and each allocation has its own share ID.",
	Requires: []spec.RequirementID{"kep-5075/all-capacity-consumable", "kep-5075/share-id"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], shared("device", map[string]resourceapi.DeviceCapacity{"memory": ranged("8Gi", "1Gi", "1Gi", "", "1Gi"), "bandwidth": amount("100")}))
	ask := func(request, memory, bandwidth string) resourceapi.DeviceRequest {
		return capacity(request, class, map[string]string{"memory": memory, "bandwidth": bandwidth})
	}

	first := use(t, objects.Claim("first", ask("a", "1Gi", "20"), ask("b", "2Gi", "20")))
	t.Expect(consumed(first)).To(gomega.Equal([]string{"a=device bandwidth:20 memory:1Gi", "b=device bandwidth:20 memory:2Gi"}), "capacity used by two requests of a claim")
	wait(t, objects.Claim("too-wide", ask("req", "1Gi", "61")))
	wait(t, objects.Claim("too-large", ask("req", "6Gi", "1")))
	t.RemovePod("too-wide")
	t.RemovePod("too-large")
	second := use(t, objects.Claim("second", ask("req", "5Gi", "60")))
	wait(t, objects.Claim("no-rest", ask("req", "1Gi", "1")))
	release(t, "first")
	t.Expect(consumed(used(t, "no-rest"))).To(gomega.Equal([]string{"req=device bandwidth:1 memory:1Gi"}), "capacity used by the pending claim")
	ids := map[string]bool{}
	for _, claim := range []*resourceapi.ResourceClaim{first, second} {
		for _, r := range claim.Status.Allocation.Devices.Results {
			ids[string(ptr.Deref(r.ShareID, ""))] = true
		}
	}
	t.Expect(ids).To(gomega.HaveLen(3), "identifiers of the three allocations")
	t.Expect(ids).NotTo(gomega.HaveKey(""), "identifiers of the three allocations")
}}
