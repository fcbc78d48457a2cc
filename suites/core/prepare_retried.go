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

// PrepareRetried lets the first NodePrepareResources fail.
var PrepareRetried = harness.Case{Meta: spec.Meta{
	ID:       "core/prepare-retried",
	Checks:   "If a driver fails to prepare a claim, the pod reports it in an event and runs after the kubelet's retry.",
	Requires: []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/prepare-retried"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Times: 1, Message: "out of coffee"})
	t.Create(objects.Claim("claim", objects.Request("req", class)))

	t.Create(objects.Pod("pod", t.Image, "claim"))

	t.WaitEvent("pod", "FailedPrepareDynamicResources", "out of coffee")
	t.WaitRunning("pod")
	calls := simdriver.Of(t).Calls(spec.Prepare, "claim")
	t.Expect(len(calls)).To(gomega.BeNumerically(">=", 2), "NodePrepareResources calls: one failed, one successful")
	t.Expect(calls[0].Fault).To(gomega.Equal(spec.FaultClaimError), "the first call's fault")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device")
}}
