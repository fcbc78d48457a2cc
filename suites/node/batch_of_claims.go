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

// BatchOfClaims runs a pod with two claims of one driver. Preparing one of them fails at first: the
// pod's event names the claim, and no container starts until it is prepared.
var BatchOfClaims = harness.Case{Meta: spec.Meta{
	ID:       "node/batch-of-claims",
	Checks:   "The kubelet passes both claims of a pod to the driver in one call, and an error for one claim blocks the pod.",
	Requires: []spec.RequirementID{"plugin-api/batch-of-claims", "plugin-api/claims-fail-one-by-one"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("well", objects.Request("req", class)), objects.Claim("ill", objects.Request("req", class)))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Claim: "ill", Times: 1, Message: "out of coffee"})

	t.Create(objects.Pod("pod", t.Image, "well", "ill"))

	t.WaitEvent("pod", notPrepared, "ResourceClaim ill: out of coffee")
	pod := t.WaitRunning("pod")
	t.Expect(t.Events("pod")).NotTo(gomega.ContainElement(gomega.ContainSubstring("ResourceClaim well:")), "events about the prepared claim")
	calls := simdriver.Of(t).Calls(spec.Prepare, "ill")
	t.Expect(len(calls)).To(gomega.BeNumerically(">=", 2), "NodePrepareResources calls: one failed, one successful")
	t.Expect(names(calls[0])).To(gomega.ConsistOf("well", "ill"), "claims of the first NodePrepareResources call")
	t.Expect(pod.Status.ContainerStatuses[0].State.Running.StartedAt.Time).To(notBefore(calls[len(calls)-1].Start), "start of the container")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0", "device-1"), "devices of both claims")

	t.RemovePod("pod")
	last := simdriver.Of(t).Calls(spec.Unprepare, "ill")
	t.Expect(last).NotTo(gomega.BeEmpty(), "NodeUnprepareResources calls")
	t.Expect(names(last[0])).To(gomega.ConsistOf("well", "ill"), "claims of the first NodeUnprepareResources call")
}}

// names returns the names of a call's claims.
func names(call spec.Call) []string {
	all := make([]string, 0, len(call.Claims))
	for _, c := range call.Claims {
		all = append(all, c.Name)
	}
	return all
}
