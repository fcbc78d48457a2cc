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

// NodeMovesToDRA replaces a node's device plugin by a DRA driver, and back.
var NodeMovesToDRA = harness.Case{Meta: spec.Meta{
	ID:       "extended/node-moves-to-dra",
	Checks:   "The same pod spec works before and after a node moves from a device plugin to a DRA driver, and back.",
	Requires: []spec.RequirementID{"kep-5004/node-by-node"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.Empty()},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	node := t.Nodes[0]
	ask := func(name string) string {
		t.RunPod(objects.OnlyOn(objects.PodWanting(name, t.Image, map[string]int64{resource: 1}), node))
		return name
	}
	plugin := spec.DevicePlugin{Resource: resource, Devices: []string{"counted"}}
	none := spec.DevicePlugin{Resource: resource}

	simdriver.Of(t).OfferOn(node, plugin)
	t.Expect(t.Environment(ask("before"), "main")).To(matchers.SeeDevicePlugin("counted"), "devices visible to a pod with a device plugin")
	t.RemovePod("before")

	simdriver.Of(t).OfferOn(node, none)
	simdriver.Of(t).PublishOn(node, profiles.OneDevice())
	t.Expect(t.Environment(ask("moved"), "main")).To(matchers.SeeOnlyDevices("device-0"), "devices visible to a pod after the move to DRA")
	t.RemovePod("moved")

	simdriver.Of(t).PublishOn(node, profiles.Empty())
	simdriver.Of(t).OfferOn(node, plugin)
	back := t.Environment(ask("back"), "main")
	t.Expect(back).To(matchers.SeeDevicePlugin("counted"), "devices visible to a pod after the move back")
	t.Expect(matchers.DevicesIn(back)).To(gomega.BeEmpty(), "DRA devices after the move back")
}}
