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
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SandboxRestarted stops a pod's sandbox in the container runtime.
var SandboxRestarted = harness.Case{Meta: spec.Meta{
	ID:       "node/sandbox-restarted",
	Checks:   "A pod keeps its device in a new sandbox without being unprepared in between.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/cdi-into-container", "kep-4381/unprepare-each-prepared"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	pod = t.RunPod(pod)
	devices := matchers.DevicesIn(t.Environment("pod", "main"))

	kubelet.StopSandbox(t, pod)

	again := t.WaitRunningAgain("pod", 0)
	t.Expect(again.Status.ContainerStatuses[0].ContainerID).NotTo(gomega.Equal(pod.Status.ContainerStatuses[0].ContainerID), "the container")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", devices...), "the device in the new sandbox")
	t.Expect(kubelet.CDIDevices(t, again, "main")).NotTo(gomega.BeEmpty(), "CDI devices of the new container")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "claim", 0, "while the pod is there")

	t.RemovePod("pod")
	t.Driver.AwaitUnprepared()
	simdriver.Of(t).ExpectCallsAtLeast(spec.Unprepare, "claim", 1, "when the pod is gone")
	t.WaitDeallocated("claim")
}}
