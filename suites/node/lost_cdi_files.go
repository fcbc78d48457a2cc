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

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LostCDIFiles restarts the kubelet, deletes the driver's CDI files and kills a container.
var LostCDIFiles = harness.Case{Meta: spec.Meta{
	ID:            "node/lost-cdi-files",
	Checks:        "The kubelet prepares a claim again if its CDI devices no longer resolve when a container restarts.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-lost-devices"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Disruption: true},
	Catches:       []spec.MutantID{"driver-prepare-other-device"},
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
	KnownIssue:    issues.Known("kubernetes#141433"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	t.RunPod(pod)
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device before")

	kubelet.Restart(t, t.Nodes[0])
	simdriver.Of(t).LoseCDI()
	t.EndContainer("pod", "main")

	refused := ""
	t.WaitPod("pod", "running again", func(p *corev1.Pod) (bool, error) {
		status := p.Status.ContainerStatuses[0]
		if w := status.State.Waiting; w != nil && w.Reason == "CreateContainerError" && strings.Contains(w.Message, "unresolvable CDI devices") {
			refused = w.Message
		}
		return refused != "" || status.RestartCount > 0 && status.State.Running != nil, nil
	})
	if refused != "" {
		simdriver.Of(t).ExpectCalls(spec.Prepare, "claim", 1, "as the container is refused")
		t.KnownIssue("expected a second NodePrepareResources call after the CDI files were lost, got 1 in all: %s", refused)
		return
	}
	simdriver.Of(t).ExpectCallsAtLeast(spec.Prepare, "claim", 2, "when the pod started and after its CDI files were lost")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeDevices("claim", "req", "device-0"), "the device after the files were lost")
}}
