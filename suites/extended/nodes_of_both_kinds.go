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

// NodesOfBothKinds serves an extended resource by a device plugin on one node, and by DRA on
// another. With both nodes full, the next pod waits.
var NodesOfBothKinds = harness.Case{Meta: spec.Meta{
	ID:       "extended/nodes-of-both-kinds",
	Checks:   "Pods requesting an extended resource run on nodes with device plugins and on nodes with DRA.",
	Requires: []spec.RequirementID{"kep-5004/nodes-of-both-kinds", "kep-5004/unschedulable-until-free"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.OneDevice(), Nodes: 2},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	plugin, dra := t.Nodes[0], t.Nodes[1]
	simdriver.Of(t).PublishOn(plugin, profiles.Empty())
	simdriver.Of(t).OfferOn(plugin, spec.DevicePlugin{Resource: resource, Devices: []string{"counted"}})
	one := map[string]int64{resource: 1}

	first := t.RunPod(objects.OnlyOn(objects.PodWanting("first", t.Image, one), plugin, dra))
	second := t.RunPod(objects.OnlyOn(objects.PodWanting("second", t.Image, one), plugin, dra))

	t.Expect([]string{first.Spec.NodeName, second.Spec.NodeName}).To(gomega.ConsistOf(plugin, dra), "nodes of the two pods")
	counted, claimed := first, second
	if first.Spec.NodeName == dra {
		counted, claimed = second, first
	}
	t.Expect(counted.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of the pod on the node with a device plugin")
	t.Expect(t.Environment(counted.Name, "main")).To(matchers.SeeDevicePlugin("counted"), "devices visible to the pod on the node with a device plugin")
	t.Expect(claimed.Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim of the pod on the node with DRA")
	t.Expect(t.Environment(claimed.Name, "main")).To(matchers.SeeOnlyDevices("device-0"), "devices visible to the pod on the node with DRA")
	t.Create(objects.OnlyOn(objects.PodWanting("late", t.Image, one), plugin, dra))
	t.WaitUnschedulable("late", "Insufficient "+resource)
}}
