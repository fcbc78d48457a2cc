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
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TerminatingWithoutDriver deletes a pod without its driver running. The pod keeps its claim until
// the driver is back.
var TerminatingWithoutDriver = harness.Case{Meta: spec.Meta{
	ID:            "node/terminating-without-driver",
	Checks:        "A pod that cannot terminate without its driver reports the driver's name in an event.",
	Requires:      []spec.RequirementID{"kep-4381/stuck-pod-says-why", "kep-4381/unprepare-retried", "kep-4381/pod-waits-for-driver"},
	Needs:         spec.Needs{Profile: profiles.OneDevice()},
	Catches:       []spec.MutantID{"driver-unprepare-nothing-done"},
	WaitsFor:      waitsToTerminate,
	SerialBecause: "It counts how often the kubelet unprepares, whichever the driver.",
	HoldsNode:     true,
	KnownIssue:    issues.Known("kubernetes#129402"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	attempts := func() float64 {
		// Before 1.36 failure is inverted (k8s.io/kubernetes v1.35.8
		// pkg/kubelet/cm/dra/manager.go:557).
		number, _ := kubelet.Metric(t, t.Nodes[0], "dra_operations_duration_seconds", map[string]string{"operation_name": "UnprepareResources"})
		return number
	}
	before := attempts()

	simdriver.Of(t).Disconnect()
	t.Delete(pod)
	// No other pod terminates meanwhile. Events of the first attempt exist after the second.
	t.Poll("two attempts to unprepare", func(context.Context) (bool, string, error) {
		n := attempts() - before
		return n >= 2, fmt.Sprintf("%g attempts", n), nil
	})

	t.Get(pod)
	t.Expect(pod.DeletionTimestamp).NotTo(gomega.BeNil(), "whether the pod is still there, and is being deleted")
	t.Expect(t.Claim("claim")).To(matchers.BeReservedFor(pod), "consumers of the claim of a still existing pod")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "claim", 0, "while the driver is not there")
	events := t.Events("pod")
	if !slices.ContainsFunc(events, func(e string) bool { return strings.Contains(e, t.DriverName()) }) {
		t.KnownIssue("expected an event of the terminating pod naming driver %s, got %q", t.DriverName(), events)
	}
	simdriver.Of(t).Connect()
	t.WaitPodGone("pod")
	simdriver.Of(t).ExpectCallsAtLeast(spec.Unprepare, "claim", 1, "when the pod is gone")
	t.Driver.AwaitUnprepared()
	t.WaitDeallocated("claim")
}}
