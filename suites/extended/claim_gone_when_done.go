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
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimGoneWhenDone completes pods with an extended resource, successfully and not. The pods are
// not deleted.
var ClaimGoneWhenDone = harness.Case{Meta: spec.Meta{
	ID:       "extended/claim-gone-when-done",
	Checks:   "The special claim of a completed pod is unprepared and deleted.",
	Requires: []spec.RequirementID{"kep-5004/claim-gone-with-pod"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	for phase, script := range map[corev1.PodPhase]string{corev1.PodSucceeded: objects.ShowAndEnd, corev1.PodFailed: objects.ShowAndEnd + "; exit 1"} {
		pod := objects.PodWanting("has-"+strings.ToLower(string(phase)), t.Image, one)
		pod.Spec.Containers[0].Command = objects.Container("", "", script).Command

		t.Create(pod)

		done := t.WaitPod(pod.Name, "ended", func(p *corev1.Pod) (bool, error) {
			return p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed, nil
		})
		t.Expect(done.Status.Phase).To(gomega.Equal(phase), "phase of pod %s", pod.Name)
		t.Expect(done.Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim in the pod's status")
		claim := done.Status.ExtendedResourceClaimStatus.ResourceClaimName
		simdriver.Of(t).ExpectCallsAtLeast(spec.Prepare, claim, 1, "")
		t.WaitClaimGone(claim)
		t.Driver.AwaitUnprepared()
		t.Get(pod)
		t.Expect(pod.UID).To(gomega.Equal(done.UID), "the pod is still there")
		t.Expect(pod.DeletionTimestamp).To(gomega.BeNil(), "the pod is not being deleted")
	}
}}
