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
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllocationCleared clears it like kube-scheduler does if a pod fits nowhere. The driver can allocate on another node
// then.
var AllocationCleared = harness.Case{Meta: spec.Meta{
	ID:       "classic/allocation-cleared",
	Checks:   "The driver frees a resource whose allocation was cleared by others; immediate claims are allocated anew.",
	Requires: []spec.RequirementID{"kep-3063/reallocate-frees", "kep-3063/released-and-reallocated", "article-126/deallocated-when-stuck"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, Refuse: t.Nodes[:1]})
	t.Create(claim("claim", d.Class("", nil), atOnce))
	t.Expect(place(t.WaitAllocated("claim"))).To(gomega.Equal(t.Nodes[1]), "node of the device")
	d.Begin(func(d *classicdra.DriverConfig) { d.Refuse = t.Nodes[1:] })
	cleared := edit.ClaimStatus(t, "claim", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
	got := t.WaitClaim("claim", "allocated anew", func(c *resourceapi.ResourceClaim) bool { return place(c) == t.Nodes[0] })
	t.Expect(d.Held()).To(gomega.Equal(map[string]string{string(cleared.UID): t.Nodes[0] + "/" + got.Status.Allocation.Devices.Results[0].Device}), "devices allocated to claims")
}}
