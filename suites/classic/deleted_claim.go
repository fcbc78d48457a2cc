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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedClaim deletes the classes, too: the driver has to find its resources without them.
var DeletedClaim = harness.Case{Meta: spec.Meta{
	ID:     "classic/deleted-claim",
	Checks: "A deleted claim stays until its driver has freed the resource; failures are reported and retried, also after a crash.",
	Requires: []spec.RequirementID{"kep-3063/driver-finalizer", "kep-3063/attributes-suffice-to-free", "kep-3063/driver-name-copied", "kep-3063/failed-steps-retried",
		"kep-3063/claim-status-kept", "kep-3063/device-cleaned-up"},
	Needs: needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1, FailDeallocate: -1})
	class := d.Class("", nil)
	t.Create(claim("claim", class, atOnce))
	t.WaitAllocated("claim")
	t.Delete(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: class}})
	resourceClass := &unstructured.Unstructured{}
	resourceClass.SetAPIVersion(classicdra.Group + "/" + classicdra.Version)
	resourceClass.SetKind("ResourceClass")
	resourceClass.SetName(class)
	t.Delete(resourceClass)
	t.Delete(t.Claim("claim"))
	t.WaitEvent("claim", "Failed", "deallocating fails on purpose")
	stays := t.Claim("claim")
	t.Expect(stays.DeletionTimestamp).NotTo(gomega.BeNil(), "when the claim was deleted")
	t.Expect(held(stays, d)).To(gomega.BeTrue(), "the claim has the driver's finalizer")
	t.Expect(d.Held()).To(gomega.HaveKey(string(stays.UID)), "owners of devices")
	d.Kill()
	d.Begin(func(d *classicdra.DriverConfig) { d.FailDeallocate = 0 })
	t.WaitClaimGone("claim")
	t.Expect(d.Held()).To(gomega.BeEmpty(), "devices allocated to claims afterwards")
}}
