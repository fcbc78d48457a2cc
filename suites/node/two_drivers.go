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

// TwoDrivers allocates devices of two drivers for one claim. One driver fails at first: the pod
// waits and reports why, and later stays until unprepare succeeds. Calls carry the claim's
// namespace, name and UID, and reach only drivers on the pod's node with a device in the claim.
var TwoDrivers = harness.Case{Meta: spec.Meta{
	ID:     "node/two-drivers",
	Checks: "Both drivers of a claim prepare and unprepare it, and a failure of one delays the pod's start or end.",
	Requires: []spec.RequirementID{
		"kep-4381/driver-of-result-called", "kep-4381/called-on-the-node", "kep-4381/claim-identified", "kep-4381/unprepare-each-prepared",
		"kep-4381/unprepare-retried",
	},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	second := simdriver.Second(t, profiles.OneDevice(), nil)
	class := t.CreateClass(nil)
	t.Create(objects.Class(second.Name, second.Name))
	t.Create(objects.Claim("both", objects.Request("first", class), objects.Request("second", second.Name)), objects.Claim("one", objects.Request("req", class)))
	second.Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Times: 1, Message: "out of coffee"})

	t.Create(objects.Pod("pod", t.Image, "both"), objects.Pod("other", t.Image, "one"))

	t.WaitEvent("pod", notPrepared, "out of coffee")
	pod, other := t.WaitRunning("pod"), t.WaitRunning("other")
	t.Expect(pod.Status.ContainerStatuses[0].State.Running.StartedAt.Time).To(notBefore(lastCall(second, spec.Prepare, "both")), "start of the container")
	env := t.Environment("pod", "main")
	t.Expect(env).To(gomega.And(matchers.SeeRequest("both", "first"), matchers.SeeDevices("both", "second", "device-0")), "devices of both drivers")
	claims := map[string]spec.ClaimCall{}
	for _, name := range []string{"both", "one"} {
		claims[name] = spec.ClaimCall{Namespace: t.Namespace, Name: name, UID: t.Claim(name).UID}
	}
	second.Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Times: 1, Message: "out of coffee"})
	t.RemovePod("pod")
	second.ExpectCallsAtLeast(spec.Unprepare, "both", 2, "as the first one failed")
	t.RemovePod("other")
	for _, d := range []*simdriver.Driver{simdriver.Of(t), second} {
		t.Expect(d.CalledOn("both")).To(gomega.Equal([]string{pod.Spec.NodeName}), "nodes on which driver %s was called for the claim of both", d.Name)
		for _, method := range []spec.Method{spec.Prepare, spec.Unprepare} {
			calls := d.Calls(method, "both")
			t.Expect(calls).NotTo(gomega.BeEmpty(), "%s calls of driver %s for the claim of both", method, d.Name)
			for _, c := range calls {
				t.Expect(identities(c)).To(gomega.ConsistOf(claims["both"]), "claims of a %s call of driver %s", method, d.Name)
			}
		}
		d.AwaitUnprepared()
	}
	t.Expect(simdriver.Of(t).CalledOn("one")).To(gomega.Equal([]string{other.Spec.NodeName}), "nodes on which driver %s was called for its own claim", t.DriverName())
	t.Expect(identities(simdriver.Of(t).Calls(spec.Prepare, "one")[0])).To(gomega.ConsistOf(claims["one"]), "claims of a call for the claim of one driver")
	t.Expect(second.CalledOn("one")).To(gomega.BeEmpty(), "nodes on which the other driver was called for a claim without devices of it")
}}

// identities returns a call's claims without the answers.
func identities(call spec.Call) []spec.ClaimCall {
	bare := make([]spec.ClaimCall, 0, len(call.Claims))
	for _, c := range call.Claims {
		bare = append(bare, spec.ClaimCall{Namespace: c.Namespace, Name: c.Name, UID: c.UID})
	}
	return bare
}
