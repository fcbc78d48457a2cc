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

// PreparedAndNew runs a pod with a claim in use by another pod and its own claim. The shared claim is
// unprepared after both pods are gone.
var PreparedAndNew = harness.Case{Meta: spec.Meta{
	ID:       "node/prepared-and-new",
	Checks:   "For a pod with a prepared and a new claim, the kubelet prepares only the new one.",
	Requires: []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/share-between-pods", "kep-4381/unprepare-after-last"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done", "driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("shared", objects.Request("req", class)), objects.Claim("unshared", objects.Request("req", class)))
	t.RunPod(objects.Pod("first", t.Image, "shared"))

	t.RunPod(objects.Pod("second", t.Image, "shared", "unshared"))

	simdriver.Of(t).ExpectCalls(spec.Prepare, "shared", 1, "as it is prepared already")
	calls := simdriver.Of(t).Calls(spec.Prepare, "unshared")
	t.Expect(calls).To(gomega.HaveLen(1), "NodePrepareResources calls for the new claim")
	t.Expect(names(calls[0])).To(gomega.ConsistOf("unshared"), "claims of the call for the new claim")
	device := func(claim string) string { return t.Claim(claim).Status.Allocation.Devices.Results[0].Device }
	t.Expect(t.Environment("second", "main")).To(gomega.And(
		matchers.SeeDevices("shared", "req", device("shared")), matchers.SeeDevices("unshared", "req", device("unshared"))), "devices of both claims")

	t.RemovePod("first")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "shared", 0, "while the second pod uses the claim")
	t.RemovePod("second")
	for _, claim := range []string{"shared", "unshared"} {
		simdriver.Of(t).ExpectCallsAtLeast(spec.Unprepare, claim, 1, "when both pods are gone")
		t.WaitDeallocated(claim)
	}
	t.Driver.AwaitUnprepared()
}}
