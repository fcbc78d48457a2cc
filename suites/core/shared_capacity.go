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

package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/published"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedCapacity has two pods with a share each of one device.
var SharedCapacity = harness.Case{Meta: spec.Meta{
	ID:       "core/shared-capacity",
	Checks:   "Two pods with shares of one device both see it, and one keeps it when the other is gone.",
	Requires: []spec.RequirementID{"kep-5075/share-id", "kep-4381/unprepare-each-prepared"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ConsumableCapacity}, Profile: profiles.SharedCapacity(), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverConsumableCapacity},
	},
	Catches: []spec.MutantID{"driver-unprepare-all"},
}, Run: func(t *harness.T) {
	request := t.Driver.Request("req")
	request.Exactly.Selectors = append(request.Exactly.Selectors, objects.Selector("device.allowMultipleAllocations == true"))
	// A request without an amount may get all of a device, so it shows the amounts available.
	t.Create(objects.Claim("probe", *request.DeepCopy()))
	t.RunPod(t.Pod("probe", "probe"))
	probe := t.WaitAllocated("probe").Status.Allocation.Devices.Results[0]
	_, device := published.Device(t, probe.Pool, probe.Device)
	t.RemovePod("probe")
	t.AwaitReleased("probe")

	request.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: device.LeastShare()}
	t.Create(objects.Claim("first", request), objects.Claim("second", request))
	first := t.RunPod(t.Pod("first", "first"))
	second := objects.OnlyOn(t.Pod("second", "second"), first.Spec.NodeName)
	second.Spec.RestartPolicy = corev1.RestartPolicyAlways
	t.RunPod(second)
	var shares []resourceapi.DeviceRequestAllocationResult
	for _, name := range []string{"first", "second"} {
		claim := t.WaitAllocated(name)
		shares = append(shares, claim.Status.Allocation.Devices.Results[0])
		t.Driver.ExpectDevices(name, "main", claim)
	}
	if shares[0].Pool != shares[1].Pool || shares[0].Device != shares[1].Device {
		t.Blockedf("device %s of pool %s has no room for a second share of the minimum request, so nothing is shared", shares[0].Device, shares[0].Pool)
	}
	t.Expect(shares[0].ShareID).NotTo(gomega.BeNil(), "ID of the share of claim first")
	t.Expect(shares[1].ShareID).NotTo(gomega.Or(gomega.BeNil(), gomega.Equal(shares[0].ShareID)), "ID of the share of claim second, not of first")
	expectUnharmed(t, "second", "first")
}}
