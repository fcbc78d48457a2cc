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

package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Rebooted is about: kubernetes/kubernetes#141433, kubernetes-sigs/dra-example-driver#259,
// ROCm/k8s-gpu-dra-driver#75, kubernetes-sigs/dra-driver-nvidia-gpu#951. It is fair to all
// kubelets: with a new kubelet and a new sandbox, stock ones prepare claims again, too.
var Rebooted = harness.Case{Meta: spec.Meta{
	ID:       "life/rebooted",
	Checks:   "A pod runs with its device again after kubelet, driver and sandbox restarted and its CDI files are gone.",
	Requires: []spec.RequirementID{"kep-4381/cdi-files-exist", "kep-4381/prepare-idempotent", "kubeletplugin/other-process-unprepares"},
	Needs:    spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	WaitsFor: "A starting kubelet removes the node's slices, and the driver library checks for its own only 30 s later " +
		"(k8s.io/dynamic-resource-allocation v0.37.1 resourceslice).",
	SerialBecause: endsDriver,
	Timeout:       4 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.Pod("pod", "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	pod = t.RunPod(pod)
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)

	kubelet.Restart(t, pod.Spec.NodeName)
	driver.LoseSpecs(pod.Spec.NodeName)
	driver.Replace(pod.Spec.NodeName)
	kubelet.StopSandbox(t, pod)

	t.WaitRunningAgain("pod", 0)
	t.Driver.ExpectDevices("pod", "main", claim)
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(pod.Spec.NodeName, claim)
}}
