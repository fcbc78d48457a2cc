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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllElsewhere requests all devices while the pool of one node is incomplete.
var AllElsewhere = harness.Case{Meta: spec.Meta{
	ID:         "allocation/all-elsewhere",
	Checks:     "A request for all devices waits for a node's incomplete pool, and is satisfied on another node.",
	Requires:   []spec.RequirementID{"kep-4381/incomplete-pool-waits"},
	Needs:      spec.Needs{NoKubelet: true, Nodes: 2},
	KnownIssue: issues.Known("kubernetes#141829"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	incomplete := t.Slice("incomplete", t.Nodes[0], profiles.Device(0, "a", "8Gi"))
	incomplete.Spec.Pool.ResourceSliceCount = 2
	t.Create(incomplete)
	t.Publish("complete", t.Nodes[1], profiles.Device(1, "a", "8Gi"), profiles.Device(2, "a", "8Gi"))

	const updated = "is currently being updated"
	t.Create(objects.Claim("all", all("req", class)), objects.OnlyOn(objects.Pod("bound", t.Image, "all"), t.Nodes[0]))
	t.Create(objects.Claim("anywhere", all("req", class)), objects.Pod("anywhere", t.Image, "anywhere"))
	if !scheduledOr(t, "anywhere", updated) {
		t.KnownIssue("a pod is tried on no node while the pool of one is incomplete")
		return
	}
	t.Expect(t.Claim("anywhere")).To(matchers.HaveDevices("device-1", "device-2"), "all devices of the other node")
	rest := t.Slice("incomplete", t.Nodes[0], profiles.Device(3, "a", "8Gi"))
	rest.Name += "-rest"
	rest.Spec.Pool.ResourceSliceCount = 2
	t.Create(rest)
	t.WaitScheduled("bound")
	t.Expect(t.Claim("all")).To(matchers.HaveDevices("device-0", "device-3"), "all devices of the pool, once it is complete")
}}

// AlternativesBesideAllocated scores nodes for a pod with an allocated claim and one with alternatives (kubernetes#139016).
var AlternativesBesideAllocated = harness.Case{Meta: spec.Meta{
	ID:       "allocation/alternatives-beside-allocated",
	Checks:   "A pod with an allocated claim and one with alternatives is placed where the better alternative is.",
	Requires: []spec.RequirementID{"kep-4816/better-alternatives-preferred"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	model := func(name string) []resourceapi.DeviceSelector {
		return []resourceapi.DeviceSelector{objects.Selector(t.Attribute(profiles.Model) + " == '" + name + "'")}
	}
	t.Publish("everywhere", "", profiles.Device(0, "network", "8Gi"))
	t.Publish("good", t.Nodes[0], profiles.Device(1, "good", "8Gi"))
	t.Publish("best", t.Nodes[1], profiles.Device(2, "best", "8Gi"))
	network := objects.Request("req", class)
	network.Exactly.Selectors = model("network")
	t.Expect(use(t, objects.Claim("network", network))).To(matchers.HaveDevices("device-0"), "device for all nodes")

	t.Create(objects.Claim("list", resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "best", DeviceClassName: class, Selectors: model("best")}, {Name: "good", DeviceClassName: class, Selectors: model("good")},
	}}), objects.Pod("pod", t.Image, "network", "list"))
	t.Expect(t.WaitScheduled("pod").Spec.NodeName).To(gomega.Equal(t.Nodes[1]), "node of the pod")
	t.Expect(results(t.Claim("list"))).To(gomega.Equal([]string{"list/best=best/device-2"}), "device of the better alternative")
}}
