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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodResourcesAfterRestart restarts the kubelet while the driver is away.
var PodResourcesAfterRestart = harness.Case{Meta: spec.Meta{
	ID:     "node/podresources-after-restart",
	Checks: "The podresources API returns the same devices after a kubelet restart while the driver is away.",
	Requires: []spec.RequirementID{"kep-3695/known-after-restart", "kep-3695/devices-of-container", "kep-3695/get-like-list",
		"kep-4381/kubelet-failure-spares-running-pods"},
	Needs:         spec.Needs{Profile: profiles.OneDevice(), Disruption: true},
	Catches:       []spec.MutantID{"driver-unprepare-nothing-done"},
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))
	before := kubelet.PodResources(t, t.Nodes[0], "pod")
	t.Expect(before.List).To(gomega.HaveLen(1), "devices in the answer to List before the restart")
	t.Expect(before.Get).To(gomega.Equal(before.List), "devices in the answer to Get before the restart")

	simdriver.Of(t).Disconnect()
	kubelet.Restart(t, pod.Spec.NodeName)

	after := kubelet.AwaitPodResources(t, t.Nodes[0], "pod")
	t.Expect(after.List).To(gomega.Equal(before.List), "devices in the answer to List after the restart")
	t.Expect(after.Get).To(gomega.Equal(before.Get), "devices in the answer to Get after the restart")
	t.Expect(t.WaitRunning("pod").Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the container")
	simdriver.Of(t).Connect()
	t.RemovePod("pod")
	t.Driver.AwaitUnprepared()
}}
