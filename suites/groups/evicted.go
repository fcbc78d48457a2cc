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

package groups

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Evicted taints the device of a group's claim. A pod with another device stays, and the claim
// stays allocated for the group.
var Evicted = harness.Case{Meta: spec.Meta{
	ID:       "groups/evicted",
	Checks:   "A NoExecute taint on the device of a group's claim evicts all pods of the group.",
	Requires: []spec.RequirementID{"kep-5729/evicted-for-groups-claim", "kep-5729/kept-for-group"},
	Needs:    evicted(),
}, Run: func(t *harness.T) {
	class := publish(t, 2)
	t.Create(objects.Claim("shared", objects.Request("req", class)), objects.Claim("own", objects.Request("req", class)))
	group := create(t, schedulingapi.PodGroupResourceClaim{Name: "shared", ResourceClaimName: ptr.To("shared")})
	for _, name := range []string{"first", "second"} {
		t.Create(member(objects.Pod(name, t.Image, "shared")))
		t.WaitScheduled(name)
	}
	t.Create(objects.Pod("third", t.Image, "own"))
	t.WaitScheduled("third")
	shared := t.Claim("shared")
	expectOfGroup(t, shared, group)

	rule := objects.TaintRule(t.DriverName(), t.DriverName(), resourceapi.DeviceTaint{Key: "dra-conformance.github.io/broken", Effect: resourceapi.DeviceTaintEffectNoExecute})
	rule.Spec.DeviceSelector.Device = &shared.Status.Allocation.Devices.Results[0].Device
	t.Create(rule)
	t.WaitPodGone("first")
	t.WaitPodGone("second")
	t.Expect(t.WaitScheduled("third").DeletionTimestamp).To(gomega.BeNil(), "deletion of the pod with another device")
	now := t.Claim("shared")
	expectOfGroup(t, now, group)
	t.Expect(now.Status.Allocation).To(gomega.Equal(shared.Status.Allocation), "allocation of the group's claim after its pods were deleted")
}}

func evicted() spec.Needs {
	n := needs()
	n.Features = append(n.Features, spec.DeviceTaints, spec.DeviceTaintRules)
	return n
}
