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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WriteRefused makes the API server reject the scheduler's writes for a pod with an extended
// resource, one after the other: special claim, pod status, binding. No claim is left behind. Once
// accepted, the pod runs with one special claim in its status.
var WriteRefused = harness.Case{Meta: spec.Meta{
	ID:     "extended/write-refused",
	Checks: "If a write for an extended resource fails, the pod reports why in an event and is retried.",
	Requires: []spec.RequirementID{
		"kep-5004/claim-write-fails-retried", "kep-5004/claim-gone-if-not-scheduled", "kep-5004/claim-made-before-binding", "kep-5004/one-special-claim",
	},
	Needs:   spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: "A pod is retried after a failed binding after 1 s, then 2 s (k8s.io/kubernetes v1.37.1 " +
		"pkg/scheduler/backend/queue, initial backoff of pods).",
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	for what, refuse := range writes(t) {
		unseen := unscheduled(objects.PodWanting("unseen-"+what, t.Image, one))
		t.Create(unseen)
		refusal := refuse(unseen)
		pod := objects.PodWanting("no-"+what, t.Image, one)
		t.Create(pod)
		t.WaitEvent(pod.Name, "FailedScheduling", refusal.Message)
		t.Poll("the claim of an unbindable pod to be deleted", func(ctx context.Context) (bool, string, error) {
			claims, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, "", err
			}
			return len(claims.Items) == 0, fmt.Sprintf("%d claims", len(claims.Items)), nil
		})
		t.Get(pod)
		t.Expect(pod.Spec.NodeName).To(gomega.BeEmpty(), "node of a pod after the write of its %s failed", what)
		admission.Accept(t, refusal)

		pod = t.WaitPod(pod.Name, "running, with its claim in its status since it is bound", func(p *corev1.Pod) (bool, error) {
			if p.Spec.NodeName != "" && p.Status.ExtendedResourceClaimStatus == nil {
				return false, fmt.Errorf("it is bound to %s without a claim in its status", p.Spec.NodeName)
			}
			return p.Status.Phase == corev1.PodRunning, nil
		})
		claims := t.Claims()
		t.Expect(claims).To(gomega.HaveLen(1), "claims when the pod runs")
		claim := claims[0]
		t.Expect(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName).To(gomega.Equal(claim.Name), "the claim in the pod's status")
		t.Expect(t.Environment(pod.Name, "main")).To(matchers.SeeOnlyDevices(claim.Status.Allocation.Devices.Results[0].Device), "device of the pod")
		t.RemovePod(pod.Name)
		t.WaitClaimGone(claim.Name)
	}
}}
