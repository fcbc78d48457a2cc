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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// KubeletDown creates and deletes pods while the kubelet is down.
var KubeletDown = harness.Case{Meta: spec.Meta{
	ID:     "node/kubelet-down",
	Checks: "After downtime, a kubelet starts pods bound meanwhile and unprepares the claims of pods deleted meanwhile.",
	Requires: []spec.RequirementID{
		"kep-4381/kubelet-failure-spares-running-pods", "kep-4381/prepare-before-start", "kep-4381/unprepared-before-pod-goes", "kep-4381/unprepare-each-prepared",
	},
	Needs:         spec.Needs{Profile: profiles.FourDevices(), Disruption: true},
	WaitsFor:      waitsForResync,
	SerialBecause: restartsKubelet,
	HoldsNode:     true,
	Timeout:       resyncTimeout,
}, Run: func(t *harness.T) {
	class, node := t.CreateClass(nil), t.Nodes[0]
	for _, name := range []string{"stays", "ends", "comes"} {
		t.Create(objects.Claim(name, objects.Request("req", class)))
	}
	stays := t.RunPod(objects.OnlyOn(objects.Pod("stays", t.Image, "stays"), node))
	ends := t.RunPod(objects.OnlyOn(objects.Pod("ends", t.Image, "ends"), node))

	back := kubelet.WhileDown(t, node, func() {
		t.Create(objects.OnlyOn(objects.Pod("comes", t.Image, "comes"), node))
		t.WaitScheduled("comes")
		t.Delete(ends, harness.GracePeriod(time.Second))
	})

	t.WaitRunning("comes")
	t.Driver.ExpectDevices("comes", "main", t.Claim("comes"))
	t.WaitPodGone("ends")
	byNewKubelet := gomega.And(gomega.Not(gomega.BeEmpty()), gomega.HaveEach(gomega.HaveField("Start", gomega.BeTemporally(">", back.Add(-2*time.Second)))))
	t.Expect(simdriver.Of(t).Calls(spec.Prepare, "comes")).To(byNewKubelet, "NodePrepareResources calls for the claim of the new pod, by the kubelet started at %s", back)
	t.Expect(simdriver.Of(t).Calls(spec.Unprepare, "ends")).To(byNewKubelet, "NodeUnprepareResources calls for the claim of the deleted pod, by the kubelet started at %s", back)
	t.WaitDeallocated("ends")
	t.Expect(t.WaitRunning("stays").Status.ContainerStatuses[0].ContainerID).To(gomega.Equal(stays.Status.ContainerStatuses[0].ContainerID), "the container expected to keep running")
	t.Driver.ExpectHeld(t.Claim("stays"))
	t.RemovePod("stays")
	t.RemovePod("comes")
	t.Driver.AwaitUnprepared()
}}
