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

// DriverRemoved deletes a claim of another driver last: once it is gone, the controllers have processed the others.
var DriverRemoved = harness.Case{Meta: spec.Meta{
	ID:     "classic/driver-removed",
	Checks: "Without their driver, allocated claims stay usable and deleted ones stay; the driver frees these when it is back.",
	Requires: []spec.RequirementID{"kep-3063/driver-finalizer", "kep-3063/claim-status-kept", "kep-3063/failed-steps-retried", "kep-3063/device-cleaned-up",
		"kep-3063/immediate-decides-nodes", "kep-3063/independent-of-kubernetes"},
	Needs: needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d, stays := c.Driver(classicdra.DriverConfig{Devices: 2}), c.Driver(classicdra.DriverConfig{Devices: 1})
	class := d.Class("", nil)
	t.Create(claim("delayed", class, nil), claim("immediate", class, atOnce), claim("other", stays.Class("", nil), nil), c.Pod("pod", "delayed", "other"))
	t.WaitScheduled("pod")
	t.WaitAllocated("immediate")
	d.Kill()
	t.Create(c.Pod("user", "immediate"))
	t.WaitScheduled("user")
	t.RemovePod("pod")
	t.RemovePod("user")
	left := []string{"delayed", "immediate"}
	for _, name := range left {
		c.WaitReleased(name)
		t.Delete(t.Claim(name))
	}
	t.Delete(t.Claim("other"))
	t.WaitClaimGone("other")
	t.Create(c.Pod("late", left...), c.Pod("last")) // A scheduler may report nothing about a pod with a claim being deleted.
	t.WaitScheduled("last")
	for _, name := range left {
		got := t.Claim(name)
		t.Expect(got.Status.ReservedFor).To(gomega.BeEmpty(), "consumers of claim %s after its deletion", name)
		t.Expect(got.DeletionTimestamp).NotTo(gomega.BeNil(), "when claim %s was deleted", name)
		t.Expect(held(got, d)).To(gomega.BeTrue(), "claim %s has the finalizer of the driver", name)
		t.Expect(place(got)).To(gomega.Equal(t.Nodes[0]), "node of the device of claim %s", name)
		t.Expect(d.Held()).To(gomega.HaveKey(string(got.UID)), "owners of devices of the driver")
		c.WaitClassicClaim(name, "as it was", func(r *classicdra.ClassicClaim) bool { return r != nil && r.Phase == allocated && r.Driver == d.Name() })
	}
	d.Begin(nil)
	for _, name := range left {
		t.WaitClaimGone(name)
		c.WaitClassicClaim(name, "gone", func(r *classicdra.ClassicClaim) bool { return r == nil })
	}
	t.Expect(d.Held()).To(gomega.BeEmpty(), "devices allocated to claims once the driver is back")
}}
