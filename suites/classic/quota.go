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
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Quota has two classes of a driver and limits one of them.
var Quota = harness.Case{Meta: spec.Meta{
	ID:       "classic/quota",
	Checks:   "Quotas of claims and classes count driver-allocated claims until their driver has freed the resource.",
	Requires: []spec.RequirementID{"kep-4381/quota-by-class", "kep-4381/quota-counts-exact", "kep-3063/claim-object", "kep-3063/driver-finalizer"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 3, FailDeallocate: -1})
	class, other := d.Class("", nil), d.Class("-other", nil)
	const number corev1.ResourceName = "count/resourceclaims.resource.k8s.io"
	devices := corev1.ResourceName(class + ".deviceclass.resource.k8s.io/devices")
	beyond := claim("beyond", class, nil)
	beyond.Spec.Devices.Requests[0].Exactly.Count = 3
	admission.CreateQuota(t, "quota", corev1.ResourceList{devices: resource.MustParse("2"), number: resource.MustParse("3")}, beyond)
	refused := func(class, why string) {
		_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(t.Context(), claim("more", class, nil), metav1.CreateOptions{})
		t.Expect(err).To(gomega.MatchError(gomega.And(gomega.ContainSubstring("exceeded quota: quota"), gomega.ContainSubstring(why))), "one more claim of %s", class)
	}
	t.Create(claim("immediate", class, atOnce), claim("delayed", class, nil), c.Pod("pod", "delayed"))
	t.WaitAllocated("immediate")
	t.WaitScheduled("pod")
	admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{devices: 2, number: 2})
	refused(class, "requested: "+string(devices)+"=1")
	t.Create(claim("other", other, nil))
	admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{devices: 2, number: 3})
	refused(other, "requested: "+string(number)+"=1")
	t.Delete(t.Claim("other"))
	admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{devices: 2, number: 2})

	waits := c.Pod("waits")
	waits.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "claim", ResourceClaimTemplateName: ptr.To("template")}}
	t.Create(objects.Template("template", claim("", class, nil)), waits)
	t.WaitEvent("waits", "FailedResourceClaimCreation", "exceeded quota: quota")
	t.Delete(t.Claim("immediate"))
	t.WaitEvent("immediate", "Failed", "deallocating fails on purpose")
	t.Expect(held(t.Claim("immediate"), d)).To(gomega.BeTrue(), "the claim has the finalizer of the driver")
	refused(class, "used: "+string(devices)+"=2")
	d.Begin(func(d *classicdra.DriverConfig) { d.FailDeallocate = 0 })
	t.WaitClaimGone("immediate")
	t.WaitScheduled("waits")
	admission.WaitUsed(t, "quota", map[corev1.ResourceName]int64{devices: 2, number: 2})
	t.Expect(d.Held()).To(gomega.HaveLen(2), "devices allocated to claims")
}}
