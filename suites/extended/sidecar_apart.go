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

package extended

import (
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SidecarApart has a sidecar between an init container with two devices and one with two, then a
// container with one: three devices in total. The first init container uses its devices before
// sidecar and container start, the second not the sidecar's.
var SidecarApart = harness.Case{Meta: spec.Meta{
	ID:       "extended/sidecar-apart",
	Checks:   "A sidecar's extended-resource devices are not shared with later init containers or containers.",
	Requires: []spec.RequirementID{"kep-5004/sidecar-keeps-devices", "kep-5004/init-container-reuse"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"), deviceOf("device-1"), deviceOf("device-2"), deviceOf("device-3"), deviceOf("device-4"))
	scheduler.AwaitSeen(t)
	t.Create(withSidecar(t, resource))

	pod := t.WaitScheduled("with-sidecar")

	devices := mappedDevices(t, pod)
	all := t.WaitAllocated(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName).Status.Allocation.Devices.Results
	t.Expect(all).To(gomega.HaveLen(3), "allocated devices: the maximum in use at a time, not the sum")
	for container, number := range map[string]int{"before": 2, "sidecar": 1, "after": 2, "main": 1} {
		t.Expect(devices[container]).To(gomega.HaveLen(number), "devices mapped to container %s", container)
	}
	for _, container := range []string{"after", "main"} {
		t.Expect(slices.Contains(devices[container], devices["sidecar"][0])).To(gomega.BeFalse(),
			"container %s running beside the sidecar has its device: %v", container, devices)
	}
}}

// withSidecar returns a pod needing three devices of a resource, as its second init container runs
// together with the sidecar.
func withSidecar(t *harness.T, resource string) *corev1.Pod {
	ask := func(name string, number int64) corev1.Container {
		return objects.Wants(objects.Container(name, t.Image, objects.ShowAndEnd), map[string]int64{resource: number})
	}
	pod := objects.PodWanting("with-sidecar", t.Image, map[string]int64{resource: 1})
	pod.Spec.InitContainers = []corev1.Container{ask("before", 2), sidecar(ask("sidecar", 1)), ask("after", 2)}
	return pod
}

// sidecar turns an init container into a sidecar.
func sidecar(c corev1.Container) corev1.Container {
	c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	c.Command = objects.Container("", "", objects.ShowAndStay).Command
	return c
}
