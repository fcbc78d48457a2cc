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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NetworkDevices publishes devices reachable from several nodes.
var NetworkDevices = harness.Case{Meta: spec.Meta{
	ID:       "allocation/network-devices",
	Checks:   "A device for all or selected nodes is allocated for these, and its claim is usable only there.",
	Requires: []spec.RequirementID{"kep-4381/network-attached-devices", "kep-4381/slices-from-anywhere", "kep-4381/pool-name-any"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }
	on := func(pod, claim, node string) *corev1.Pod {
		return objects.OnlyOn(objects.Pod(pod, t.Image, claim), node)
	}
	t.Publish("everywhere", "", profiles.Device(0, "all", "8Gi"))
	some := t.Slice("some", "", profiles.Device(1, "some", "8Gi"))
	some.Spec.AllNodes = nil
	some.Spec.NodeSelector = objects.Nodes(t.Nodes[1])
	t.Create(some)

	t.Create(objects.Claim("all", objects.Request("req", class, model("all"))), on("first", "all", t.Nodes[0]), on("second", "all", t.Nodes[1]))
	t.WaitScheduled("first")
	t.WaitScheduled("second")
	t.Expect(t.Claim("all").Status.Allocation.NodeSelector).To(gomega.BeNil(), "nodes of a device for all of them")

	t.Create(objects.Claim("elsewhere", objects.Request("req", class, model("some"))), on("elsewhere", "elsewhere", t.Nodes[0]))
	t.WaitUnschedulable("elsewhere", noDevices)
	t.Create(objects.Claim("some", objects.Request("req", class, model("some"))), objects.Pod("third", t.Image, "some"))
	t.Expect(t.WaitScheduled("third").Spec.NodeName).To(gomega.Equal(t.Nodes[1]), "node of a pod allowed anywhere")
	t.Expect(t.Claim("some").Status.Allocation.NodeSelector).To(gomega.Equal(some.Spec.NodeSelector), "nodes of the claim")
	t.Create(on("fourth", "some", t.Nodes[0]))
	t.WaitUnschedulable("fourth", "resourceclaim not available on the node")
}}
