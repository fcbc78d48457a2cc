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

package core

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UnprepareRetried lets the first NodeUnprepareResources fail.
var UnprepareRetried = harness.Case{Meta: spec.Meta{
	ID:       "core/unprepare-retried",
	Checks:   "If a driver fails to unprepare a claim, the pod stays until the kubelet's retry, and then the device is free.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/unprepare-retried", "kep-4381/deallocate-after-last"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Claim("next", objects.Request("req", class)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Times: 1, Message: "out of coffee"})

	t.RemovePod("pod")

	calls := simdriver.Of(t).Calls(spec.Unprepare, "claim")
	t.Expect(len(calls)).To(gomega.BeNumerically(">=", 2), "NodeUnprepareResources calls: one failed, one successful")
	t.Expect(calls[0].Fault).To(gomega.Equal(spec.FaultClaimError), "the first call's fault")
	t.Expect(calls[len(calls)-1].Claims[0].Error).To(gomega.BeEmpty(), "the last call's error")
	t.Driver.AwaitUnprepared()
	t.WaitDeallocated("claim")
	t.RunPod(objects.Pod("next", t.Image, "next"))
	t.Expect(t.Environment("next", "main")).To(matchers.SeeDevices("next", "req", "device-0"), "the released device")
}}
