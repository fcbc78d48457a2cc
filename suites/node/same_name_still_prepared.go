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
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SameNameStillPrepared recreates a claim and its pod, by the same names, before the driver has
// unprepared the old claim. The pod was force-deleted and the old claim is gone from the API
// server.
var SameNameStillPrepared = harness.Case{Meta: spec.Meta{
	ID:       "node/same-name-still-prepared",
	Checks:   "A pod with a recreated claim waits until the old claim of this name is unprepared, and gets the new device.",
	Requires: []spec.RequirementID{"kep-4381/older-unprepared-first", "kep-4381/unprepare-force-deleted"},
	Needs:    spec.Needs{Profile: profiles.TwoModels()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	comes := func(model string) (*resourceapi.ResourceClaim, *corev1.Pod) {
		t.Step("a claim of model %s and its pod come", model)
		claim := objects.Claim("claim", objects.Request("req", class, fmt.Sprintf("device.attributes[%q].%s == %q", t.DriverName(), profiles.Model, model)))
		pod := objects.OnlyOn(objects.Pod("pod", t.Image, "claim"), t.Nodes[0])
		t.Create(claim, pod)
		return claim, pod
	}
	older, pod := comes("a")
	t.WaitRunning("pod")
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Message: "out of coffee"})

	t.Delete(pod, harness.GracePeriod(0))
	t.WaitPodGone("pod")
	t.Delete(older)
	t.WaitClaimGone("claim")
	newer, _ := comes("b")
	waits := refused(t, "pod")
	early, held := callsFor(simdriver.Of(t), spec.Prepare, newer.UID), simdriver.Of(t).Holds(older.UID)
	simdriver.Of(t).Fail()
	t.Expect(waits).To(gomega.BeTrue(), "whether the new pod waits, and does not run")
	t.Expect(early).To(gomega.BeEmpty(), "NodePrepareResources calls for the new claim while the older one is prepared")
	t.Expect(held).To(gomega.BeTrue(), "whether the older claim was still prepared")

	t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices(t.Claim("claim").Status.Allocation.Devices.Results[0].Device), "the new pod's device")
	unprepared := callsFor(simdriver.Of(t), spec.Unprepare, older.UID)
	t.Expect(unprepared).NotTo(gomega.BeEmpty(), "NodeUnprepareResources calls for the older claim")
	last := unprepared[len(unprepared)-1]
	t.Expect(last.Error+last.Claims[0].Error).To(gomega.BeEmpty(), "last report about the older claim")
	t.Expect(callsFor(simdriver.Of(t), spec.Prepare, newer.UID)[0].Start).To(gomega.BeTemporally(">=", last.Start.Add(last.Took)), "first NodePrepareResources call for the new claim, and end of the last NodeUnprepareResources call for the older one")
	t.Expect(simdriver.Of(t).Holds(older.UID)).To(gomega.BeFalse(), "whether the older claim is still prepared")
}}

// callsFor returns a driver's calls for a claim by UID, as other claims may have the same name.
func callsFor(d *simdriver.Driver, method spec.Method, claim types.UID) []spec.Call {
	var calls []spec.Call
	for _, c := range d.Calls(method, "claim") {
		if c.Claims[0].UID == claim {
			calls = append(calls, c)
		}
	}
	return calls
}
