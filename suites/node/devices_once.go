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
	"strings"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DevicesOnce lets drivers prepare some of a pod's devices before others: one of two claims, and
// one of two drivers of a claim.
var DevicesOnce = harness.Case{Meta: spec.Meta{
	ID:         "node/devices-once",
	Checks:     "A container gets each CDI device once after partly failed attempts to prepare its claims.",
	Requires:   []spec.RequirementID{"kep-4381/cdi-into-container", "kep-3695/devices-of-container"},
	Needs:      spec.Needs{Profile: profiles.Devices(3)},
	Catches:    []spec.MutantID{"driver-prepare-nothing-done"},
	WaitsFor:   waitsForResync,
	Timeout:    resyncTimeout,
	KnownIssue: issues.Known("kubernetes#140274"),
}, Run: func(t *harness.T) {
	second := simdriver.Second(t, profiles.OneDevice(), nil)
	class := t.CreateClass(nil)
	t.Create(objects.Class(second.Name, second.Name))
	t.Create(objects.Claim("both", objects.Request("first", class), objects.Request("second", second.Name)),
		objects.Claim("ill", objects.Request("req", class)), objects.Claim("well", objects.Request("req", class)))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Claim: "ill", Times: 1})
	second.Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Times: 1})

	pod := t.RunPod(objects.Pod("pod", t.Image, "both", "ill", "well"))

	for d, claim := range map[*simdriver.Driver]string{simdriver.Of(t): "ill", second: "both"} {
		t.Expect(len(d.Calls(spec.Prepare, claim))).To(gomega.BeNumerically(">=", 2), "calls of driver %s for claim %s: one failed, one successful", d.Name, claim)
	}
	expectOnce(t, pod, []*simdriver.Driver{simdriver.Of(t), second}, "both", "ill", "well")
}}

// DevicesOnceAfterRestart makes a restarted kubelet prepare a claim again for a second pod. The
// podresources API lists each device once for both pods.
var DevicesOnceAfterRestart = harness.Case{Meta: spec.Meta{
	ID:            "node/devices-once-after-restart",
	Checks:        "A container gets each CDI device once after a restarted kubelet has prepared its claim again.",
	Requires:      []spec.RequirementID{"kep-4381/cdi-into-container", "kep-3695/devices-of-container", "kep-3695/known-after-restart"},
	Needs:         spec.Needs{Profile: profiles.TwoDevices(), Disruption: true},
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
	WaitsFor:      waitsForResync,
	Timeout:       resyncTimeout,
	KnownIssue:    issues.Known("kubernetes#140274"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("one", class), objects.Request("two", class)))
	t.RunPod(objects.Pod("before", t.Image, "claim"))

	kubelet.Restart(t, t.Nodes[0])

	for _, pod := range []*corev1.Pod{t.RunPod(objects.Pod("joins", t.Image, "claim")), t.WaitRunning("before")} {
		simdriver.Of(t).ExpectCallsAtLeast(spec.Prepare, "claim", 2, "before and after the restart")
		expectOnce(t, pod, []*simdriver.Driver{simdriver.Of(t)}, "claim")
	}
}}

// expectOnce ends the case unless container main of a pod on the first node has each CDI device of
// the drivers' last answers exactly once.
func expectOnce(t *harness.T, pod *corev1.Pod, drivers []*simdriver.Driver, claims ...string) {
	var answered, allocated []string
	for _, claim := range claims {
		for _, d := range drivers {
			if calls := d.Calls(spec.Prepare, claim); len(calls) > 0 {
				answered = append(answered, answeredFor(calls[len(calls)-1], claim)...)
			}
		}
		for _, r := range t.Claim(claim).Status.Allocation.Devices.Results {
			allocated = append(allocated, strings.Join([]string{claim, r.Driver, r.Pool, r.Device}, "/"))
		}
	}
	has := kubelet.CDIDevices(t, pod, "main")
	t.Expect(distinct(has)).To(gomega.Equal(distinct(answered)), "CDI devices of the container of pod %s", pod.Name)
	found := kubelet.PodResources(t, t.Nodes[0], pod.Name)
	for answer, devices := range map[string][]spec.ContainerDevice{"List": found.List, "Get": found.Get} {
		var told []string
		for _, d := range devices {
			told = append(told, strings.Join([]string{d.Claim, d.Driver, d.Pool, d.Device}, "/"))
		}
		t.Expect(distinct(told)).To(gomega.Equal(distinct(allocated)), "devices of pod %s in the answer to %s", pod.Name, answer)
		if len(told) > len(allocated) {
			t.KnownIssue("expected %d devices of pod %s in the answer to %s, got %d: %q", len(allocated), pod.Name, answer, len(told), told)
		}
	}
	if len(has) > len(answered) {
		t.KnownIssue("expected %d CDI devices in the container of pod %s, as drivers returned, got %d: %q", len(answered), pod.Name, len(has), has)
	}
}

// answeredFor returns the CDI devices for a claim in the answer to a call.
func answeredFor(call spec.Call, claim string) []string {
	for _, c := range call.Claims {
		if c.Name == claim {
			return c.CDIDevices
		}
	}
	return nil
}
