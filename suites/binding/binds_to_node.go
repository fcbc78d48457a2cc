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

package binding

import (
	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BindsToNode attaches a device reachable from all nodes to one of them. The fabric learns from the
// allocation where to attach it. Without bindsToNode the claim is for all nodes.
var BindsToNode = harness.Case{Meta: spec.Meta{
	ID:       "binding/binds-to-node",
	Checks:   "A claim whose device has bindsToNode is only for the allocated node, and pods required elsewhere cannot use it.",
	Requires: []spec.RequirementID{"kep-5007/binds-to-node", "kep-5007/waits-for-conditions"},
	Needs:    spec.Needs{Features: features(), Profile: profiles.Empty(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	binds, free := profiles.Device(0, "binds", "8Gi"), profiles.Device(1, "free", "8Gi")
	binds.BindsToNode = ptr.To(true)
	binds.BindingConditions, binds.BindingFailureConditions = []string{profiles.Attached}, []string{profiles.AttachFailed}
	t.Create(objects.NetworkSlice(t.DriverName(), t.DriverName(), "fabric", binds, free))
	for _, node := range t.Nodes {
		simdriver.Of(t).Fabric(node, attached()...)
	}
	model := func(name string) string {
		return "device.attributes['" + t.DriverName() + "']." + profiles.Model + " == '" + name + "'"
	}
	t.Create(objects.Claim("pinned", objects.Request("req", class, model("binds"))), objects.Claim("free", objects.Request("req", class, model("free"))))

	t.RunPod(objects.OnlyOn(objects.Pod("user-of-free", t.Image, "free"), t.Nodes...))
	pod := t.RunPod(objects.OnlyOn(objects.Pod("user", t.Image, "pinned"), t.Nodes...))

	here := objects.Nodes(pod.Spec.NodeName)
	t.Expect(t.Claim("pinned").Status.Allocation.NodeSelector).To(gomega.Equal(here), "nodes of the claim with a device bound to its node")
	t.Expect(t.Claim("free").Status.Allocation.NodeSelector).To(gomega.BeNil(), "nodes of the other claim")
	t.Expect(t.Environment("user", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the container")
	elsewhere := t.Nodes[0]
	if elsewhere == pod.Spec.NodeName {
		elsewhere = t.Nodes[1]
	}
	t.Create(objects.OnlyOn(objects.Pod("elsewhere", t.Image, "pinned"), elsewhere))
	t.WaitUnschedulable("elsewhere", "resourceclaim not available on the node")
	t.Create(objects.OnlyOn(objects.Pod("elsewhere-with-free", t.Image, "free"), elsewhere))
	t.WaitRunning("elsewhere-with-free")
}}
