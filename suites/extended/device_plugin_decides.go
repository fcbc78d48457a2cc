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

// DevicePluginDecides has a device plugin and DRA devices for one extended resource on a node. The
// next pod waits despite free DRA devices until the plugin has more.
var DevicePluginDecides = harness.Case{Meta: spec.Meta{
	ID:     "extended/device-plugin-decides",
	Checks: "On a node with a device plugin for an extended resource, only the device plugin serves it.",
	Requires: []spec.RequirementID{
		"kep-5004/node-with-device-plugin-by-capacity", "kep-5004/one-kind-per-node", "kep-5004/no-claim-for-device-plugin", "kep-5004/node-capacity-change-retries",
	},
	Needs: spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	node := t.Nodes[0]
	ask := func(name string) {
		t.Create(objects.OnlyOn(objects.PodWanting(name, t.Image, map[string]int64{resource: 1}), node))
	}
	simdriver.Of(t).OfferOn(node, spec.DevicePlugin{Resource: resource, Devices: []string{"counted"}})

	ask("first")
	first := t.WaitRunning("first")
	t.Expect(first.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of the pod served by the device plugin")
	ask("second")
	t.WaitUnschedulable("second", "Insufficient "+resource)
	simdriver.Of(t).OfferOn(node, spec.DevicePlugin{Resource: resource, Devices: []string{"counted", "added"}})

	second := t.WaitRunning("second")
	t.Expect(second.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of the pod pending for the device plugin")
	for name, device := range map[string]string{"first": "counted", "second": "added"} {
		env := t.Environment(name, "main")
		t.Expect(env).To(matchers.SeeDevicePlugin(device), "devices of the device plugin visible to pod %s", name)
		t.Expect(matchers.DevicesIn(env)).To(gomega.BeEmpty(), "DRA devices of pod %s", name)
	}
}}
