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

// Reallocated has a claim allocated where a second pod cannot run; by then the driver has another node.
var Reallocated = harness.Case{Meta: spec.Meta{
	ID:       "classic/reallocated",
	Checks:   "A claim allocated where its pod cannot run is reallocated if nobody uses it; while another pod does, the pod waits.",
	Requires: []spec.RequirementID{"kep-3063/released-and-reallocated", "kep-3063/reallocate-frees", "kep-3063/other-node-tried", "article-126/deallocated-when-stuck"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, Refuse: t.Nodes[:1]})
	t.Create(claim("claim", d.Class("", nil), users(t, -1)), c.Pod("user", "claim"))
	t.Expect(t.WaitScheduled("user").Spec.NodeName).To(gomega.Equal(t.Nodes[1]), "node of the first pod")
	d.Begin(func(d *classicdra.DriverConfig) { d.Refuse = t.Nodes[1:] })
	t.Create(objects.OnlyOn(c.Pod("pod", "claim"), t.Nodes[0]))
	t.WaitUnschedulable("pod", "resource claim is allocated elsewhere")
	got := t.Claim("claim")
	t.Expect(place(got)).To(gomega.Equal(t.Nodes[1]), "node of the device while a pod uses it")
	t.Expect(reserved(got, "user")).To(gomega.BeTrue(), "the claim is reserved only for the pod")
	t.RemovePod("user")
	t.WaitScheduled("pod")
	t.Expect(place(t.Claim("claim"))).To(gomega.Equal(t.Nodes[0]), "node of the device")
	t.Expect(d.Held()).To(gomega.HaveLen(1), "devices allocated to claims")
}}
