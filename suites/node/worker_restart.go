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
	"time"

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

const (
	restartsNode = "It restarts a node with all of its pods."
	nodeRestarts = "A node stops all of its containers, and starts."
	// restartTime allows 90 s each for the node's shutdown and start, plus soonAfter.
	restartTime = 5 * time.Minute
	// soonAfter bounds the start of pods after node and driver are back. The kubelet retries a pod
	// after up to 15 s (k8s.io/kubernetes v1.37.1 pkg/kubelet/kubelet.go, backOffPeriod).
	// Schedulers and controllers also wait up to 15 s for their predecessors' leases.
	soonAfter = time.Minute
)

// WorkerRestart restarts the node of a pod. A new pod on it must reach a service within the same
// minute.
var WorkerRestart = harness.Case{Meta: spec.Meta{
	ID:            "node/worker-restart",
	Checks:        "Within a minute after its node and driver are back, a pod with a claim runs again with the same device.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-again-after-restart"},
	Needs:         spec.Needs{Profile: profiles.TwoDevices(), Restarts: spec.Worker},
	WaitsFor:      nodeRestarts,
	SerialBecause: restartsNode,
	HoldsNode:     true,
	Timeout:       restartTime,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Claim("second", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	before := t.RunPod(pod).Status.ContainerStatuses[0].ContainerID
	devices := matchers.DevicesIn(t.Environment("pod", "main"))

	kubelet.RestartNode(t, t.Nodes[0])
	simdriver.Of(t).StartAgain(t.Nodes[0])
	back := time.Now()

	t.WaitPod("pod", "running again", func(p *corev1.Pod) (bool, error) {
		status := p.Status.ContainerStatuses[0]
		return status.State.Running != nil && status.ContainerID != before, nil
	})
	t.Expect(time.Since(back)).To(gomega.BeNumerically("<", soonAfter), "time until the pod runs again")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", devices...), "the device after the restart")
	simdriver.Of(t).ExpectCallsAtLeast(spec.Prepare, "claim", 1, "since the restart")

	second := objects.OnlyOn(objects.Pod("new", t.Image, "second"), t.Nodes[0])
	second.Spec.Containers[0].Command = []string{"sh", "-c", objects.ReachService + objects.ShowAndStay}
	t.RunPod(second)
	t.Expect(t.Environment("new", "main")).To(matchers.SeeRequest("second", "req"), "the device of a new pod that reaches a service")
	t.Expect(time.Since(back)).To(gomega.BeNumerically("<", soonAfter), "time until a new pod runs and reaches a service")
}}
