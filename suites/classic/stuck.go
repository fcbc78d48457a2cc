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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Stuck has two drivers: one allocates, the other one cannot and later rejects the node.
var Stuck = harness.Case{Meta: spec.Meta{
	ID:     "classic/stuck",
	Checks: "If one driver has allocated and another rejects the node, both claims are allocated for another node.",
	Requires: []spec.RequirementID{"kep-3063/released-and-reallocated", "kep-3063/reallocate-frees", "kep-3063/other-node-tried", "article-126/deallocated-when-stuck",
		"article-126/not-scheduled-without-all", "kep-3063/allocated-phase-by-driver"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	works := c.Driver(classicdra.DriverConfig{Devices: 1})
	fails := c.Driver(classicdra.DriverConfig{Devices: 1, FailAllocate: -1})
	t.Create(claim("works", works.Class("", nil), nil), claim("fails", fails.Class("", nil), nil), c.Pod("pod", "works", "fails"))
	node := place(t.WaitAllocated("works"))
	t.WaitEvent("fails", "Failed", "allocating fails on purpose")
	fails.Begin(func(d *classicdra.DriverConfig) { d.FailAllocate, d.Refuse = 0, []string{node} })
	got := t.WaitScheduled("pod").Spec.NodeName
	t.Expect(got).NotTo(gomega.Equal(node), "node of the pod")
	for _, name := range []string{"works", "fails"} {
		t.WaitClaim(name, "on the node of the pod", func(c *resourceapi.ResourceClaim) bool { return place(c) == got && reserved(c, "pod") })
	}
	t.Expect(works.Held()).To(gomega.HaveLen(1), "devices of the driver after a second allocation")
}}
