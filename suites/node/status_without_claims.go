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

package node

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// terminatedAgain bounds the kubelet's next attempt to terminate a pod.
const terminatedAgain = 45 * time.Second

// StatusWithoutClaims removes the generated claim names from a terminating pod's status, as status
// writers unaware of claims do.
var StatusWithoutClaims = harness.Case{Meta: spec.Meta{
	ID:         "node/status-without-claims",
	Checks:     "A terminating pod's claim is unprepared and deleted even if the pod's status no longer names it.",
	Requires:   []spec.RequirementID{"kep-4381/unprepare-each-prepared", "kep-4381/unprepare-retried"},
	Needs:      spec.Needs{Profile: profiles.OneDevice()},
	Catches:    []spec.MutantID{"driver-unprepare-nothing-done"},
	WaitsFor:   waitsToTerminate,
	KnownIssue: issues.Known("kubernetes#139772"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Template("template", objects.Claim("", objects.Request("req", class))))
	pod := t.RunPod(objects.PodFromTemplate("pod", t.Image, "template"))
	claim := *pod.Status.ResourceClaimStatuses[0].ResourceClaimName
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Message: "out of coffee"})

	// The first attempt fails, and the controller does not update the status of such a pod.
	t.Delete(pod, harness.GracePeriod(time.Second))
	simdriver.Of(t).AwaitCalls(spec.Unprepare, claim, "one that failed", func(calls []spec.Call) bool { return len(calls) > 0 })
	writeClaimStatuses(t, "[]")
	failed := len(simdriver.Of(t).Calls(spec.Unprepare, claim))
	again := t.OccursWithin(terminatedAgain, "another NodeUnprepareResources call", func(context.Context) (bool, string, error) {
		calls := len(simdriver.Of(t).Calls(spec.Unprepare, claim))
		return calls > failed, fmt.Sprintf("%d calls, %d when the status was written", calls, failed), nil
	})
	t.Get(pod)
	t.Expect(pod.Status.ResourceClaimStatuses).To(gomega.BeEmpty(), "names of generated claims in the pod's status")
	simdriver.Of(t).Fail()
	if !again {
		writeClaimStatuses(t, fmt.Sprintf(`[{"name":"claim","resourceClaimName":%q}]`, claim)) // otherwise the pod never terminates
		t.KnownIssue("expected more than %d NodeUnprepareResources calls %s after the claim was removed from the pod's status, got %d", failed, terminatedAgain, failed)
	}

	t.WaitPodGone("pod")
	calls := simdriver.Of(t).Calls(spec.Unprepare, claim)
	t.Expect(calls[len(calls)-1].Claims[0].Error).To(gomega.BeEmpty(), "last report about the claim")
	t.Driver.AwaitUnprepared()
	t.WaitClaimGone(claim)
}}

// writeClaimStatuses replaces the generated claims in a pod's status, possibly with none.
func writeClaimStatuses(t *harness.T, list string) {
	t.Step("write %s as the claims in the pod's status", list)
	patch := fmt.Appendf(nil, `{"status":{"resourceClaimStatuses":%s}}`, list)
	_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.Context(), "pod", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	t.NoError(err, "write the pod's status")
}
