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

package claims

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllClaimsThere has pods with two claims, the second one missing.
var AllClaimsThere = harness.Case{Meta: spec.Meta{
	ID:       "claims/all-claims-there",
	Checks:   "A pod with a missing second claim does not get the first one allocated; it is scheduled once both exist.",
	Requires: []spec.RequirementID{"kep-4381/waits-for-missing-claim", "kep-4381/no-claim-before-all", "kep-4381/waits-for-missing-template"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 4)
	request := objects.Request("req", class)
	byClaim, byTemplate := objects.Pod("by-claim", t.Image, "first", "missing"), objects.Pod("by-template", t.Image, "second")
	byTemplate.Spec.ResourceClaims = append(byTemplate.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "claim", ResourceClaimTemplateName: ptr.To("template")})
	t.Create(objects.Claim("first", request), objects.Claim("second", request), byClaim, byTemplate)
	t.WaitEvent("by-template", "FailedResourceClaimCreation", `"template" not found`)

	every := objects.Claim("every", request)
	every.Spec.Devices.Requests[0].Exactly = &resourceapi.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeAll}
	t.Create(every, objects.Pod("every", t.Image, "every"))
	t.WaitScheduled("every")
	for pod, claim := range map[string]string{"by-claim": "first", "by-template": "second"} {
		notScheduled(t, pod)
		t.Expect(t.Claim(claim).Status.Allocation).To(gomega.BeNil(), "allocation of the claim of pod %s", pod)
	}
	t.RemovePod("every")
	t.Create(objects.Claim("missing", request), objects.Template("template", objects.Claim("", request)))
	pod := t.WaitScheduled("by-claim")
	for _, claim := range []string{"first", "missing"} {
		t.Expect(t.Claim(claim)).To(matchers.BeReservedFor(pod), "reservations of claim %s", claim)
	}
	pod = t.WaitScheduled("by-template")
	t.Expect(t.Claim("second")).To(matchers.BeReservedFor(pod), "reservations of claim second")
	t.Expect(generated(t, "by-template")).To(matchers.BeReservedFor(pod), "reservations of the claim of the template")
}}
