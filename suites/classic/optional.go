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
	"github.com/dra-conformance/dratest/framework/spec"
)

// Optional has one device for three pods.
var Optional = harness.Case{Meta: spec.Meta{
	ID:       "classic/optional",
	Checks:   "A claim with an optional device is allocated without one if none is left; a pod that requires its device waits.",
	Requires: []spec.RequirementID{"kep-3063/optional-resource", "kep-3063/custom-matching", "kep-3063/allocated-before-scheduled"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	class := d.Class("", nil)
	optional := parameters(t, "parameters", map[string]string{"optional": "true"})
	t.Create(claim("with", class, optional), c.Pod("with", "with"))
	t.WaitScheduled("with")
	t.Expect(place(t.Claim("with"))).To(gomega.Equal(t.Nodes[0]), "node of the device")
	t.Create(claim("needs", class, nil), c.Pod("needs", "needs"))
	c.WaitPodScheduling("needs", "refused", func(s *classicdra.PodScheduling) bool { return s != nil && len(s.UnsuitableNodes["needs"]) == 1 })
	t.Create(claim("without", class, optional), c.Pod("without", "without"))
	t.WaitScheduled("without")
	got := t.Claim("without")
	t.Expect(got.Status.Allocation.Devices.Results).To(gomega.BeEmpty(), "devices of the claim after none was left")
	t.Expect(got.Status.Allocation.NodeSelector).To(gomega.BeNil(), "nodes with access to that claim: all")
	t.Expect(reserved(got, "without")).To(gomega.BeTrue(), "the claim is reserved for its pod")
	unallocated(t, "needs")
	t.Expect(d.Held()).To(gomega.HaveLen(1), "devices allocated to claims")
	t.RemovePod("without")
	t.WaitDeallocated("without")
	c.WaitClassicClaim("without", "gone", func(r *classicdra.ClassicClaim) bool { return r == nil })
}}
