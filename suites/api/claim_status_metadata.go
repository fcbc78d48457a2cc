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
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimStatusMetadata writes the status of a claim with other metadata.
var ClaimStatusMetadata = harness.Case{Meta: spec.Meta{
	ID:       "api/claim-status-metadata",
	Checks:   "A status update of a claim changes no labels, annotations, finalizers or owners.",
	Requires: []spec.RequirementID{"kep-4381/claim-status-keeps-metadata"},
	Needs:    spec.Needs{NoNode: true},
}, Run: func(t *harness.T) {
	claim := validClaim()
	claim.Labels, claim.Annotations, claim.Finalizers = map[string]string{"a": "b"}, map[string]string{"c": "d"}, []string{"example.com/kept"}
	t.Create(claim)
	stored := t.Claim("claim")
	changed := stored.DeepCopy()
	changed.Labels, changed.Annotations, changed.Finalizers = map[string]string{"a": "other"}, map[string]string{"e": "f"}, nil
	changed.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "pod", UID: "uid"}}
	changed.Status.Allocation = allocation("device-0")
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), changed, metav1.UpdateOptions{})
	t.NoError(err, "write the claim's status with other metadata")
	now := t.Claim("claim")
	t.Expect(now.Status.Allocation).NotTo(gomega.BeNil(), "the allocation")
	t.Expect(now.Labels).To(gomega.Equal(stored.Labels), "the labels")
	t.Expect(now.Annotations).To(gomega.Equal(stored.Annotations), "the annotations")
	t.Expect(now.Finalizers).To(gomega.Equal(stored.Finalizers), "the finalizers")
	t.Expect(now.OwnerReferences).To(gomega.BeEmpty(), "the owners")
}}
