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

package api

import (
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimSpecImmutable tries to change a claim's spec.
var ClaimSpecImmutable = harness.Case{Meta: spec.Meta{
	ID:       "api/claim-spec-immutable",
	Checks:   "A change of a claim's spec is rejected with the field named, while its labels can be changed.",
	Requires: []spec.RequirementID{"kep-4381/claim-spec-immutable", "kep-3063/claim-spec-immutable"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", "class")))
	claims := t.Client.ResourceV1().ResourceClaims(t.Namespace)
	claim, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")

	labelled := claim.DeepCopy()
	labelled.Labels["changed"] = "true"
	labelled, err = claims.Update(t.Context(), labelled, metav1.UpdateOptions{})
	t.NoError(err, "change a label")

	t.Step("change the device class, the number of devices and the name of the request")
	class, count, name := labelled.DeepCopy(), labelled.DeepCopy(), labelled.DeepCopy()
	class.Spec.Devices.Requests[0].Exactly.DeviceClassName = "other"
	count.Spec.Devices.Requests[0].Exactly.Count = 2
	name.Spec.Devices.Requests[0].Name = "other"
	_, classErr := claims.Update(t.Context(), class, metav1.UpdateOptions{})
	_, countErr := claims.Update(t.Context(), count, metav1.UpdateOptions{})
	_, nameErr := claims.Update(t.Context(), name, metav1.UpdateOptions{})

	t.Expect(notRefused(classErr, "spec", "")).To(gomega.BeEmpty(), "the change of the device class")
	t.Expect(notRefused(countErr, "spec", "")).To(gomega.BeEmpty(), "the change of the number of devices")
	t.Expect(notRefused(nameErr, "spec", "")).To(gomega.BeEmpty(), "the change of the request's name")
	now, err := claims.Get(t.Context(), "claim", metav1.GetOptions{})
	t.NoError(err, "get the claim")
	t.Expect(now.Spec).To(gomega.Equal(claim.Spec), "the claim's spec")
}}
