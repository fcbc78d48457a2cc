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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Network has a device reachable from two of three nodes.
var Network = harness.Case{Meta: spec.Meta{
	ID:       "classic/network",
	Checks:   "A network resource is allocated with a selector for its nodes: pods there share it, a pod elsewhere waits.",
	Requires: []spec.RequirementID{"kep-3063/fabric-resource", "kep-3063/available-on-nodes", "kep-3063/users-limited", "kep-3063/immediate-decides-nodes"},
	Needs:    needs(3),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, Network: true, Nodes: t.Nodes[:2]})
	t.Create(claim("claim", d.Class("", nil), users(t, -1)))
	for i, node := range t.Nodes[:2] {
		name := []string{"first", "second"}[i]
		t.Create(objects.OnlyOn(c.Pod(name, "claim"), node))
		t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(node), "node of the %s pod", name)
	}
	got := t.Claim("claim")
	t.Expect(reserved(got, "first", "second")).To(gomega.BeTrue(), "the claim is reserved for both pods")
	t.Expect(got.Status.Allocation.NodeSelector.NodeSelectorTerms).To(gomega.ConsistOf(gomega.HaveField("MatchExpressions", gomega.ConsistOf(
		corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: t.Nodes[:2]}))), "nodes where the resource is available")
	t.Create(objects.OnlyOn(c.Pod("elsewhere", "claim"), t.Nodes[2]))
	t.WaitUnschedulable("elsewhere", "resource claim is allocated elsewhere")
	t.Expect(reserved(t.Claim("claim"), "first", "second")).To(gomega.BeTrue(), "the claim is reserved for both pods as before")
}}
