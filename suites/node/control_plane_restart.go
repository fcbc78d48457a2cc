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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ControlPlaneRestart restarts a control plane node. Within a minute, a new pod gets a claim from
// its template, a device and a service, and its claim is deleted with it.
var ControlPlaneRestart = harness.Case{Meta: spec.Meta{
	ID:            "node/control-plane-restart",
	Checks:        "A pod keeps its device while a control plane node restarts, and new pods can use DRA soon afterwards.",
	Requires:      []spec.RequirementID{"kep-4381/failures-spare-running-pods", "kep-4381/claim-status-not-lost", "kep-4381/template-creates-claim", "kep-4381/template-claim-deleted"},
	Needs:         spec.Needs{Profile: profiles.TwoDevices(), Restarts: spec.ControlPlane},
	WaitsFor:      nodeRestarts,
	SerialBecause: restartsNode,
	NoMutant:      "a component of the control plane starts anew without its mutant when its node is restarted; of the kubelets only that of a node without its pods is restarted",
	Timeout:       restartTime,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Template("template", objects.Claim("", objects.Request("req", class))))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	devices := matchers.DevicesIn(t.Environment("pod", "main"))

	kubelet.RestartNode(t, t.Target().ControlPlane())
	simdriver.Of(t).StartAgain(t.Target().ControlPlane())
	back := time.Now()

	pod := objects.PodFromTemplate("new", t.Image, "template")
	pod.Spec.Containers[0].Command = []string{"sh", "-c", objects.ReachService + objects.ShowAndStay}
	claim := *t.RunPod(pod).Status.ResourceClaimStatuses[0].ResourceClaimName
	others := matchers.DevicesIn(t.Environment("new", "main"))
	t.Expect(others).To(gomega.HaveLen(1), "devices of a new pod able to reach a service")
	t.Expect(time.Since(back)).To(gomega.BeNumerically("<", soonAfter), "time until a new pod runs and reaches a service")
	t.WaitRunning("pod")
	t.Expect(matchers.DevicesIn(t.Environment("pod", "main"))).To(gomega.Equal(devices), "devices of the pod from before")
	t.Expect(others).NotTo(gomega.Equal(devices), "devices of the new pod")

	t.RemovePod("new")
	t.WaitClaimGone(claim)
}}
