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
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// wrongAnswers are invalid first answers to NodePrepareResources by claim name.
var wrongAnswers = map[string]spec.FaultKind{
	"left-out":           spec.FaultNoAnswer,
	"of-another-claim":   spec.FaultWrongClaim,
	"error-with-devices": spec.FaultErrorWithDevices,
	"failed-call":        spec.FaultCallError,
}

// WrongAnswers runs one pod per invalid answer: claim missing, unknown UID, error along with
// devices, failed call.
var WrongAnswers = harness.Case{Meta: spec.Meta{
	ID:       "node/wrong-answers",
	Checks:   "The kubelet does not treat a claim as prepared after an invalid answer, and retries.",
	Requires: []spec.RequirementID{"kep-4381/missing-claim-in-answer", "kep-4381/claim-error-ignores-devices", "plugin-api/error-ignores-response"},
	Needs:    spec.Needs{Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	faults := make([]spec.Fault, 0, len(wrongAnswers))
	for claim, kind := range wrongAnswers {
		faults = append(faults, spec.Fault{Method: spec.Prepare, Kind: kind, Claim: claim, Times: 1})
	}
	simdriver.Of(t).Fail(faults...)
	for claim := range wrongAnswers {
		t.Create(objects.Claim(claim, objects.Request("req", class)), objects.Pod(claim, t.Image, claim))
	}

	for claim, kind := range wrongAnswers {
		t.WaitEvent(claim, notPrepared, "")
		pod := t.WaitRunning(claim)
		calls := simdriver.Of(t).Calls(spec.Prepare, claim)
		t.Expect(len(calls)).To(gomega.BeNumerically(">=", 2), "NodePrepareResources calls for claim %s", claim)
		t.Expect(calls[0].Fault).To(gomega.Equal(kind), "the error about the first response for claim %s", claim)
		t.Expect(pod.Status.ContainerStatuses[0].State.Running.StartedAt.Time).To(notBefore(calls[1].Start), "start of the container with claim %s", claim)
		device := t.Claim(claim).Status.Allocation.Devices.Results[0].Device
		t.Expect(t.Environment(claim, "main")).To(matchers.SeeOnlyDevices(device), "devices of the container with claim %s", claim)
	}
}}
