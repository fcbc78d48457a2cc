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
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Sidecar uses devices in both kinds of init containers. The sidecar is restarted while the
// container runs on.
var Sidecar = harness.Case{Meta: spec.Meta{
	ID:       "node/sidecar",
	Checks:   "Init containers, sidecars and containers see only their own request's device, and the claim is prepared once.",
	Requires: []spec.RequirementID{"kep-4381/cdi-into-container", "kep-4381/prepare-before-start", "kep-4381/only-named-claims"},
	Needs:    spec.Needs{Profile: profiles.Devices(3)},
	Catches:  []spec.MutantID{"driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	names := []string{"init", "sidecar", "main"}
	claim := objects.Claim("claim")
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.InitContainers = []corev1.Container{
		objects.Container("init", t.Image, objects.ShowAndEnd), objects.Container("sidecar", t.Image, objects.ShowAndStay),
	}
	pod.Spec.InitContainers[1].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	for i, c := range []*corev1.Container{&pod.Spec.InitContainers[0], &pod.Spec.InitContainers[1], &pod.Spec.Containers[0]} {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, objects.Request(names[i], class))
		c.Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: names[i]}}
	}
	t.Create(claim)
	t.RunPod(pod)

	has := map[string]string{}
	for _, r := range t.WaitAllocated("claim").Status.Allocation.Devices.Results {
		has[r.Request] = r.Device
	}
	for _, name := range names {
		t.Expect(t.Environment("pod", name)).To(matchers.SeeOnlyDevices(has[name]), "the device of container %s", name)
	}
	t.EndContainer("pod", "sidecar")
	again := t.WaitPod("pod", "running with another sidecar", func(p *corev1.Pod) (bool, error) {
		s := p.Status.InitContainerStatuses[1]
		return s.RestartCount > 0 && s.State.Running != nil, nil
	})
	t.Expect(t.Environment("pod", "sidecar")).To(matchers.SeeOnlyDevices(has["sidecar"]), "the device of the restarted sidecar")
	t.Expect(again.Status.ContainerStatuses[0].RestartCount).To(gomega.BeZero(), "restarts of the container")
	simdriver.Of(t).ExpectCalls(spec.Prepare, "claim", 1, "")
}}
