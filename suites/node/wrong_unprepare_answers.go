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
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// unprepareFaults are first answers to NodeUnprepareResources without success for the claim, by
// claim name.
var unprepareFaults = map[string]spec.Fault{
	"left-out":         {Kind: spec.FaultNoAnswer},
	"of-another-claim": {Kind: spec.FaultWrongClaim},
	"claim-error":      {Kind: spec.FaultClaimError},
	"not-found":        {Kind: spec.FaultCallError, Code: "NotFound"},
}

// WrongUnprepareAnswers terminates one pod per answer: claim missing, unknown UID, error, or failed
// call, including NOT_FOUND.
var WrongUnprepareAnswers = harness.Case{Meta: spec.Meta{
	ID:       "node/wrong-unprepare-answers",
	Checks:   "A pod does not terminate until the driver has confirmed that its claim is unprepared.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-answer-rules", "kep-4381/unprepared-before-pod-goes", "kep-4381/not-found-backoff", "kep-3063/not-found-backoff"},
	Needs:    spec.Needs{Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
	WaitsFor: waitsToTerminate,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	var faults []spec.Fault
	for claim, fault := range unprepareFaults {
		t.Create(objects.Claim(claim, objects.Request("req", class)), objects.Pod(claim, t.Image, claim))
		fault.Method, fault.Claim, fault.Times = spec.Unprepare, claim, 1
		faults = append(faults, fault)
	}
	for claim := range unprepareFaults {
		t.WaitRunning(claim)
	}
	simdriver.Of(t).Fail(faults...)

	for claim := range unprepareFaults {
		t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: claim, Namespace: t.Namespace}}, harness.GracePeriod(time.Second))
	}

	for claim, fault := range unprepareFaults {
		t.WaitPodGone(claim)
		calls := simdriver.Of(t).Calls(spec.Unprepare, claim)
		t.Expect(len(calls)).To(gomega.BeNumerically(">=", 2), "NodeUnprepareResources calls for claim %s when its pod is gone", claim)
		t.Expect(calls[0].Fault).To(gomega.Equal(fault.Kind), "the error about the first response for claim %s", claim)
		last := calls[len(calls)-1]
		t.Expect(last.InProgress).To(gomega.BeFalse(), "whether the last call for claim %s is still going on when its pod is gone", claim)
		t.Expect(last.Error+last.Claims[0].Error).To(gomega.BeEmpty(), "last report about claim %s", claim)
	}
	t.Driver.AwaitUnprepared()
}}
