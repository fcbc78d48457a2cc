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
	"context"

	"github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllocationRefused makes the API server reject the status of a pod's special claim.
var AllocationRefused = harness.Case{Meta: spec.Meta{
	ID:       "extended/allocation-refused",
	Checks:   "If the special claim's allocation cannot be written, the pod is not bound, gets an event with the error and is retried.",
	Requires: []spec.RequirementID{"kep-5004/claim-write-fails-retried", "kep-5004/one-special-claim"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
	WaitsFor: "A pod is retried after a failed binding after 1 s (k8s.io/kubernetes v1.37.1 pkg/scheduler/backend/queue, initial backoff of pods).",
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"))
	seen := objects.Claim("seen", objects.Request("req", t.DriverName()))
	t.Create(seen)
	refusal := admission.Refuse(t, admissionv1.Update, resourceapi.GroupName, "resourceclaims/status", "!has(object.status.allocation)", func(ctx context.Context) error {
		claim := t.Claim("seen")
		claim.Status.Allocation = &resourceapi.AllocationResult{}
		_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
	t.Create(objects.PodWanting("pod", t.Image, one))
	t.WaitEventTimes("pod", "FailedScheduling", refusal.Message, 2)
	t.Expect(t.PodNow("pod").Spec.NodeName).To(gomega.BeEmpty(), "node of the pod without an allocation")
	admission.Accept(t, refusal)
	pod := t.WaitScheduled("pod")
	t.Expect(special(t)).To(gomega.ConsistOf(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName), "special claims when the pod is bound")
	t.Expect(t.Claim(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName)).To(matchers.BeReservedFor(pod), "consumers of the special claim")
}}
