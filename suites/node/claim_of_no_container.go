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
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimOfNoContainer uses a claim for the pod as a whole, as network drivers do. The container sees
// no device, and the podresources API lists none.
var ClaimOfNoContainer = harness.Case{Meta: spec.Meta{
	ID:       "node/claim-of-no-container",
	Checks:   "The kubelet prepares and unprepares a pod's claim once even if no container references it.",
	Requires: []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/unprepare-after-last", "kep-4381/only-named-claims"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-unprepare-nothing-done"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers[0].Resources.Claims = nil

	pod = t.RunPod(pod)

	calls := simdriver.Of(t).Calls(spec.Prepare, "claim")
	t.Expect(calls).To(gomega.HaveLen(1), "NodePrepareResources calls when the container runs")
	t.Expect(pod.Status.ContainerStatuses[0].State.Running.StartedAt.Time).To(notBefore(calls[0].Start), "start of the container")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeNothing(), "devices visible to a container not referring to the claim")
	t.Expect(kubelet.CDIDevices(t, pod, "main")).To(gomega.BeEmpty(), "CDI devices of the container")
	t.Expect(kubelet.PodResources(t, t.Nodes[0], "pod").List).To(gomega.BeEmpty(), "devices in the answer to List")
	t.Expect(simdriver.Of(t).Holds(t.Claim("claim").UID)).To(gomega.BeTrue(), "whether the claim is prepared while the pod runs")

	t.RemovePod("pod")
	simdriver.Of(t).ExpectCallsAtLeast(spec.Unprepare, "claim", 1, "when the pod is gone")
	t.Driver.AwaitUnprepared()
	t.WaitDeallocated("claim")
}}
