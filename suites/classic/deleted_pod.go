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

// DeletedPod deletes a pod before the driver has answered, one during allocation, and one with an allocated and an
// unallocated claim.
var DeletedPod = harness.Case{Meta: spec.Meta{
	ID:       "classic/deleted-pod",
	Checks:   "Deleting a pod during negotiation or allocation leaves no PodScheduling and no resource; its claims are as before.",
	Requires: []spec.RequirementID{"article-126/scheduling-object-named", "kep-3063/deallocated-with-pod", "kep-3063/driver-finalizer", "kep-3063/failed-steps-retried"},
	Needs:    needs(1),
	WaitsFor: untilCleared,
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	works := c.Driver(classicdra.DriverConfig{Devices: 1})
	fails := c.Driver(classicdra.DriverConfig{Devices: 1, FailAllocate: -1})
	t.Create(claim("works", works.Class("", nil), nil), claim("fails", fails.Class("", nil), nil))
	fails.Kill()
	t.Create(c.Pod("asked", "works", "fails"))
	c.WaitPodScheduling("asked", "there", exists)
	t.RemovePod("asked")
	fails.Begin(nil)
	t.Create(c.Pod("selected", "works", "fails"))
	t.WaitAllocated("works")
	t.WaitEvent("fails", "Failed", "allocating fails on purpose")
	t.RemovePod("selected")
	for name, d := range map[string]*classicdra.Program{"works": works, "fails": fails} {
		t.WaitClaim(name, "as before", func(r *resourceapi.ResourceClaim) bool {
			return r.Status.Allocation == nil && len(r.Status.ReservedFor) == 0 && !held(r, d)
		})
		c.WaitClassicClaim(name, "gone", func(r *classicdra.ClassicClaim) bool { return r == nil })
		t.Expect(d.Held()).To(gomega.BeEmpty(), "devices of the driver of claim %s", name)
	}
	c.WaitPodScheduling("asked", "gone", none)
	c.WaitPodScheduling("selected", "gone", none)
}}
