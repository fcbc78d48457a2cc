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
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodResourcesOfPod shares a claim between a sidecar and a container; another container has no claim.
// Get and List agree. Allocatable devices include no DRA devices, and deleted pods are not listed.
var PodResourcesOfPod = harness.Case{Meta: spec.Meta{
	ID:       "node/podresources-of-pod",
	Checks:   "The podresources API lists claim, driver, pool, name and CDI devices for each container with a claim.",
	Requires: []spec.RequirementID{"kep-3695/devices-of-container", "kep-3695/get-like-list", "kep-3695/allocatable-without-dra"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.InitContainers = []corev1.Container{objects.Container("sidecar", t.Image, objects.ShowAndStay, "claim")}
	pod.Spec.InitContainers[0].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("plain", t.Image, objects.ShowAndStay))
	t.RunPod(pod)
	t.RunPod(objects.OnlyOn(objects.Pod("other", t.Image), t.Nodes[0]))

	result := t.WaitAllocated("claim").Status.Allocation.Devices.Results[0]
	var want []spec.ContainerDevice
	for _, container := range []string{"sidecar", "main"} {
		t.Expect(t.Environment("pod", container)).To(matchers.SeeDevices("claim", "req", result.Device), "the device of container %s", container)
		want = append(want, spec.ContainerDevice{
			Container: container, Namespace: t.Namespace, Claim: "claim", Driver: result.Driver, Pool: result.Pool, Device: result.Device,
			CDIDevices: simdriver.Of(t).Calls(spec.Prepare, "claim")[0].Claims[0].CDIDevices,
		})
	}
	found := kubelet.PodResources(t, t.Nodes[0], "pod")
	t.Expect(found.Containers).To(gomega.ConsistOf("sidecar", "main", "plain"), "containers in the answer to List")
	t.Expect(found.List).To(gomega.Equal(want), "devices of the containers in the answer to List")
	t.Expect(found.Get).To(gomega.Equal(want), "devices of the containers in the answer to Get")
	t.Expect(found.Allocatable).NotTo(gomega.ContainElement(result.Device), "devices in the answer to GetAllocatableResources")

	t.RemovePod("pod")
	t.Expect(kubelet.PodResources(t, t.Nodes[0], "other")).To(gomega.And(gomega.HaveField("Pods", gomega.ConsistOf("other")), gomega.HaveField("List", gomega.BeEmpty())), "pods listed for the namespace after deletion")
}}
