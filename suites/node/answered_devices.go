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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// answered maps claims, by name, to answers of NodePrepareResources: the number of CDI devices in a
// container naming the first request, and in one naming the whole claim. Each claim has two
// requests.
var answered = map[string]struct {
	fault      spec.FaultKind
	first, all int
}{
	"no-devices":     {spec.FaultNothingDone, 0, 0},
	"no-cdi":         {spec.FaultNoCDI, 0, 0},
	"several-cdi":    {spec.FaultAllCDI, 2, 2},
	"no-requests":    {spec.FaultAllRequests, 2, 2},
	"one-by-request": {"", 1, 2},
}

// AnsweredDevices runs one pod per answer. A device without requests belongs to every part of the
// claim.
var AnsweredDevices = harness.Case{Meta: spec.Meta{
	ID:       "node/answered-devices",
	Checks:   "Containers get the CDI devices of their requests, whether a driver returns none, one or several devices per claim.",
	Requires: []spec.RequirementID{"kep-4381/any-number-of-cdi-devices", "kep-4381/device-without-requests"},
	Needs:    spec.Needs{Profile: profiles.Devices(2 * len(answered))},
	Catches:  []spec.MutantID{"driver-prepare-all-requests", "driver-prepare-nothing-done", "driver-prepare-no-cdi", "driver-prepare-all-cdi"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	var faults []spec.Fault
	for claim, answer := range answered {
		if answer.fault != "" {
			faults = append(faults, spec.Fault{Method: spec.Prepare, Kind: answer.fault, Claim: claim})
		}
	}
	simdriver.Of(t).Fail(faults...)
	for claim := range answered {
		pod := objects.Pod(claim, t.Image, claim)
		first := objects.Container("first", t.Image, objects.ShowAndStay)
		first.Resources.Claims = []corev1.ResourceClaim{{Name: claim, Request: "one"}}
		pod.Spec.Containers = append(pod.Spec.Containers, first)
		t.Create(objects.Claim(claim, objects.Request("one", class), objects.Request("two", class)), pod)
	}

	for claim, answer := range answered {
		pod := t.WaitRunning(claim)
		t.Expect(distinct(kubelet.CDIDevices(t, pod, "first"))).To(gomega.HaveLen(answer.first), "%s: CDI devices of the container referring to the first request", claim)
		t.Expect(distinct(kubelet.CDIDevices(t, pod, "main"))).To(gomega.HaveLen(answer.all), "%s: CDI devices of the container with all of the claim", claim)
	}
}}

func distinct(names []string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}
