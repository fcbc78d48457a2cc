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

package extended

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PluginBesideDRA requests two extended resources in a container, served by a device plugin and by
// DRA. Another container requests only the second. The status maps only DRA's.
var PluginBesideDRA = harness.Case{Meta: spec.Meta{
	ID:     "extended/plugin-beside-dra",
	Checks: "A container can use devices of a device plugin and of DRA as extended resources at the same time.",
	Requires: []spec.RequirementID{
		"kep-5004/only-own-devices", "kep-5004/request-per-container-and-resource", "kep-5004/device-plugins-untouched", "kep-5004/special-claim-prepared",
	},
	Needs:   spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	Catches: []spec.MutantID{"driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	counted, device := countedClass(t), createClass(t)
	simdriver.Of(t).OfferOn(t.Nodes[0], spec.DevicePlugin{Resource: counted, Devices: []string{"of-plugin"}})
	pod := objects.OnlyOn(objects.PodWanting("pod", t.Image, map[string]int64{counted: 1, device: 1}), t.Nodes[0])
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Wants(objects.Container("other", t.Image, objects.ShowAndStay), map[string]int64{device: 1}))

	pod = t.RunPod(pod)

	mapped := mappedDevices(t, pod)
	for _, m := range pod.Status.ExtendedResourceClaimStatus.RequestMappings {
		t.Expect(m.ResourceName).To(gomega.Equal(device), "resource of %v", m)
	}
	t.Expect(t.WaitAllocated(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName).Status.Allocation.Devices.Results).To(gomega.HaveLen(2), "allocated devices")
	main, other := t.Environment("pod", "main"), t.Environment("pod", "other")
	t.Expect(main).To(matchers.SeeDevicePlugin("of-plugin"), "devices of the device plugin visible to the container")
	t.Expect(other).NotTo(matchers.SeeDevicePlugin("of-plugin"), "devices of the device plugin visible to the other container")
	t.Expect(matchers.DevicesIn(main)).To(gomega.And(gomega.HaveLen(1), gomega.ConsistOf(mapped["main"])), "DRA devices of the container")
	t.Expect(matchers.DevicesIn(other)).To(gomega.And(gomega.HaveLen(1), gomega.ConsistOf(mapped["other"])), "DRA devices of the other container")
}}
