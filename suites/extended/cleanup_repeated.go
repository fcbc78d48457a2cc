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
	"fmt"

	"github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CleanupRepeated keeps the scheduler from deleting special claims: of an attempt with failed binding,
// and of an earlier attempt on an unsuitable node. Afterwards the pod is bound with its own claim.
var CleanupRepeated = harness.Case{Meta: spec.Meta{
	ID:       "extended/cleanup-repeated",
	Checks:   "If a stale special claim cannot be deleted, the pod is retried and no second claim is created.",
	Requires: []spec.RequirementID{"kep-5004/cleanup-idempotent", "kep-5004/postfilter-failure-retried", "kep-5004/special-claim-reused", "kep-5004/one-special-claim"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}, Nodes: 2},
	WaitsFor: "A pod is retried after a failed binding after 1 s, 2 s, 4 s (k8s.io/kubernetes v1.37.1 pkg/scheduler/backend/queue, backoff of pods).",
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	for _, node := range t.Nodes {
		t.Publish(node, node, deviceOf("device-0"))
	}
	unbound := unscheduled(objects.PodWanting("unseen", t.Image, one))
	t.Create(unbound, objects.Claim("kept"))
	noBinding, noDeletion := writes(t)["binding"](unbound), keepClaims(t)
	t.Create(objects.OnlyOn(objects.PodWanting("unbound", t.Image, one), t.Nodes[0]))
	t.WaitEvent("unbound", "FailedScheduling", noBinding.Message)

	left := objects.OnlyOn(objects.PodWanting("left", t.Image, one), t.Nodes[1])
	left.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/earlier-attempt"}}
	t.Create(left)
	t.Publish("other", t.Nodes[0], deviceOf("device-1"))
	allocateSpecial(t, left, "left", "other", "device-1")
	claimsSeen(t)
	edit.Ungate(t, left.Name)
	t.WaitEvent("left", "FailedScheduling", noDeletion.Message)
	t.Expect(special(t)).To(gomega.HaveLen(2), "special claims of the two pods while none can be removed")
	for _, name := range []string{"unbound", "left"} {
		pod := t.PodNow(name)
		t.Expect(pod.Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s", name)
	}

	admission.Accept(t, noDeletion)
	t.WaitClaimGone("left")
	admission.Accept(t, noBinding)
	for _, name := range []string{"left", "unbound"} {
		pod := t.WaitScheduled(name)
		claim := t.Claim(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName)
		t.Expect(claim).To(matchers.BeReservedFor(pod), "consumers of the claim of pod %s", name)
	}
	t.Poll("each pod to have one claim", func(context.Context) (bool, string, error) {
		names := special(t)
		return len(names) == 2, fmt.Sprint(names), nil
	})
}}

// claimsSeen waits until the scheduler has seen all current claims. It gets events in order, so it
// has seen them once it allocates a newer claim for a pod. Failing to bind the pod does not matter.
func claimsSeen(t *harness.T) {
	t.Create(objects.Claim("seen"), objects.Pod("seen", t.Image, "seen"))
	t.WaitAllocated("seen")
}

// keepClaims makes the API server reject deletions of claims. A claim named "kept" must exist.
func keepClaims(t *harness.T) *admission.Refusal {
	return admission.Refuse(t, admissionv1.Delete, "resource.k8s.io", "resourceclaims", "false", func(ctx context.Context) error {
		return t.Client.ResourceV1().ResourceClaims(t.Namespace).Delete(ctx, "kept", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}, GracePeriodSeconds: ptr.To[int64](0)})
	})
}

// special returns the names of claims controlled by pods.
func special(t *harness.T) []string {
	var names []string
	for _, claim := range t.Claims() {
		if metav1.GetControllerOf(&claim) != nil {
			names = append(names, claim.Name)
		}
	}
	return names
}
