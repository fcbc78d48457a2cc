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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodClaimStatusesKept writes a pod's status like a program without support for claims. The template
// is missing, so that no controller writes the status.
var PodClaimStatusesKept = harness.Case{Meta: spec.Meta{
	ID:       "api/pod-claim-statuses-kept",
	Checks:   "A pod status update without generated claim names keeps them; an empty list removes them.",
	Requires: []spec.RequirementID{"core-v1/claim-statuses-kept"},
	Needs:    spec.Needs{NoNode: true, Since: "1.37"},
}, Run: func(t *harness.T) {
	t.Create(podAccount(), unscheduled(objects.PodFromTemplate("pod", t.Image, "none")))
	named := []corev1.PodResourceClaimStatus{{Name: "claim", ResourceClaimName: ptr.To("generated")}}
	edit.PodStatus(t, "pod", func(p *corev1.Pod) { p.Status.ResourceClaimStatuses = named })

	without := edit.PodStatus(t, "pod", func(p *corev1.Pod) { p.Status.ResourceClaimStatuses, p.Status.Message = nil, "changed" })
	t.Expect(without.Status.Message).To(gomega.Equal("changed"), "fields written beside them")
	t.Expect(without.Status.ResourceClaimStatuses).To(gomega.Equal(named), "generated claims in a status written without them")
	empty, err := t.Client.CoreV1().Pods(t.Namespace).
		Patch(t.Context(), "pod", types.MergePatchType, []byte(`{"status":{"resourceClaimStatuses":[]}}`), metav1.PatchOptions{}, "status")
	t.NoError(err, "write an empty list")
	t.Expect(empty.Status.ResourceClaimStatuses).To(gomega.BeEmpty(), "generated claims in a status written with an empty list")
}}
