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

package extended

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SpecialClaim reads the claim created by the scheduler: its annotation, owner, reservation, and
// its mapping in the pod's status.
var SpecialClaim = harness.Case{Meta: spec.Meta{
	ID:     "extended/special-claim",
	Checks: "The scheduler creates one special claim for all extended resources of a pod.",
	Requires: []spec.RequirementID{
		"kep-5004/special-claim", "kep-5004/claim-in-pod-status", "kep-5004/special-claim-annotated", "kep-5004/special-claim-no-pod-claim-name",
		"kep-5004/special-claim-reserved", "kep-5004/request-per-container-and-resource",
	},
	Needs: spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.FourDevices()},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	pod := objects.PodWanting("pod", t.Image, map[string]int64{resource: 2})
	pod.Spec.Containers = append(pod.Spec.Containers,
		objects.Wants(objects.Container("other", t.Image, objects.ShowAndStay), map[string]int64{resource: 1}))

	pod = t.RunPod(pod)

	claims := t.Claims()
	t.Expect(claims).To(gomega.HaveLen(1), "claims of the pod")
	claim := &claims[0]
	t.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.ExtendedResourceClaimAnnotation, "true"), "annotation")
	t.Expect(claim.Annotations).NotTo(gomega.HaveKey(resourceapi.PodResourceClaimAnnotation), "annotation of claims made from templates")
	t.Expect(metav1.IsControlledBy(claim, pod)).To(gomega.BeTrue(), "the pod is the claim's controller: %v", claim.OwnerReferences)
	t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers")
	number := map[string]int64{}
	for _, r := range claim.Spec.Devices.Requests {
		t.Expect(r.Exactly).NotTo(gomega.BeNil(), "request %s", r.Name)
		t.Expect(r.Exactly.DeviceClassName).To(gomega.Equal(t.DriverName()), "class of request %s", r.Name)
		number[r.Name] = r.Exactly.Count
	}

	status := pod.Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the pod's status")
	t.Expect(status.ResourceClaimName).To(gomega.Equal(claim.Name), "the claim's name in the pod's status")
	mapped := map[string]int64{}
	for _, m := range status.RequestMappings {
		t.Expect(m.ResourceName).To(gomega.Equal(resource), "resource of %v", m)
		mapped[m.ContainerName] = number[m.RequestName]
	}
	t.Expect(status.RequestMappings).To(gomega.HaveLen(2), "mappings")
	t.Expect(mapped).To(gomega.Equal(map[string]int64{"main": 2, "other": 1}), "devices of the requests mapped to the containers")
}}
