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

package classic

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodePart also runs the node driver, with a kubelet. Two containers of its pod use the claim and one
// does not.
var NodePart = harness.Case{Meta: spec.Meta{
	ID:     "classic/node-part",
	Checks: "The kubelet has the driver prepare and unprepare a claim its controller allocated, without any ResourceSlice.",
	Requires: []spec.RequirementID{
		"article-126/controller-and-plugin", "article-126/parameters-reach-container", "kep-3063/kubelet-calls-driver", "kep-3063/called-on-the-node",
		"kep-3063/claim-uid-in-call", "kep-3063/cdi-to-runtime", "kep-3063/shared-by-containers", "kep-3063/unprepare-each-prepared",
		"kep-3063/unprepare-when-pod-deleted", "kep-3063/attributes-passed-on",
	},
	Needs: spec.Needs{Companions: []spec.Companion{classicdra.Companion}, Nodes: 1, Since: "1.37"},
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	onNodes := d.OnNodes()
	t.Create(claim("claim", d.Class("", nil), parameters(t, "parameters", map[string]string{"a": "b"})))
	pod := c.Pod("pod", "claim")
	pod.Spec.Containers = append(pod.Spec.Containers,
		objects.Container("second", t.Image, objects.ShowAndStay, "claim"), objects.Container("without", t.Image, objects.ShowAndStay))
	node := t.RunPod(pod).Spec.NodeName

	allocated := t.Claim("claim")
	t.Expect(place(allocated)).To(gomega.Equal(node), "node of the device")
	t.Expect(onNodes.Slices()).To(gomega.BeEmpty(), "ResourceSlices of the driver")
	for _, container := range []string{"main", "second"} {
		t.Expect(t.Environment("pod", container)).To(gomega.HaveKeyWithValue("user_a", "b"), "devices visible to container %s", container)
	}
	t.Expect(t.Environment("pod", "without")).NotTo(gomega.HaveKey("user_a"), "devices visible to a container not using the claim")
	t.Expect(onNodes.CalledOn("claim")).To(gomega.Equal([]string{node}), "nodes with calls of the driver")
	t.Expect(onNodes.Calls(spec.Prepare, "claim")).To(gomega.HaveEach(gomega.HaveField("Claims", gomega.ConsistOf(gomega.HaveField("UID", allocated.UID)))), "calls to prepare the claim")
	t.Expect(onNodes.Holds(allocated.UID)).To(gomega.BeTrue(), "the driver has the claim prepared")
	t.Expect(d.Held()).To(gomega.HaveKey(string(allocated.UID)), "owners of devices of the driver")

	t.RemovePod("pod")
	onNodes.AwaitUnprepared()
	t.WaitDeallocated("claim")
	c.WaitClassicClaim("claim", "gone", func(r *classicdra.ClassicClaim) bool { return r == nil })
	t.Expect(d.Held()).To(gomega.BeEmpty(), "devices allocated to claims after the pod")
}}
