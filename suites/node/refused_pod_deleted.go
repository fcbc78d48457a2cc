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
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RefusedPodDeleted binds a second pod to the node. It shares the first pod's claim, and its second
// claim is never allocated.
var RefusedPodDeleted = harness.Case{Meta: spec.Meta{
	ID:         "node/refused-pod-deleted",
	Checks:     "Deleting a pod rejected for its other claim leaves a shared claim prepared for the pod using it.",
	Requires:   []spec.RequirementID{"kep-4381/unprepare-after-last"},
	Needs:      spec.Needs{Profile: profiles.OneDevice()},
	Catches:    []spec.MutantID{"driver-prepare-other-device", "driver-unprepare-nothing-done"},
	KnownIssue: issues.Known("kubernetes#140212"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("shared", objects.Request("req", class)), objects.Claim("more", objects.Request("req", class)))
	runs := objects.Pod("runs", t.Image, "shared")
	runs.Spec.RestartPolicy = corev1.RestartPolicyAlways
	runs = t.RunPod(runs)

	pod := objects.Pod("refused", t.Image, "shared", "more")
	pod.Spec.NodeName = runs.Spec.NodeName
	t.Create(pod)
	t.WaitEvent("refused", notPrepared, "not allowed to use ResourceClaim")
	t.RemovePod("refused")

	if calls := simdriver.Of(t).Calls(spec.Unprepare, "shared"); len(calls) > 0 {
		t.KnownIssue("expected no NodeUnprepareResources call for the claim of a running pod when a pod without the claim was deleted, got %d", len(calls))
		return
	}
	t.Expect(simdriver.Of(t).Holds(t.Claim("shared").UID)).To(gomega.BeTrue(), "whether the claim of the running pod is still prepared")
	t.EndContainer("runs", "main")
	t.WaitRunningAgain("runs", 0)
	t.Expect(t.Environment("runs", "main")).To(matchers.SeeDevices("shared", "req", "device-0"), "the device of the restarted container")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "shared", 0, "while the pod runs")
	t.RemovePod("runs")
	t.AwaitReleased("shared")
}}
