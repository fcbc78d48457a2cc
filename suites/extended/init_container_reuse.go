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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// InitContainerReuse has init containers requesting three and two devices with a sidecar between
// them, then two containers with one each. Sidecar and containers have devices of their own, and
// the second init container does not see the sidecar's.
var InitContainerReuse = harness.Case{Meta: spec.Meta{
	ID:       "extended/init-container-reuse",
	Checks:   "Containers reuse the extended-resource devices of init containers, but not of sidecars.",
	Requires: []spec.RequirementID{"kep-5004/init-container-reuse", "kep-5004/sidecar-keeps-devices", "kep-5004/only-own-devices"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	ask := func(name, script string, number int64) corev1.Container {
		return objects.Wants(objects.Container(name, t.Image, script), map[string]int64{resource: number})
	}
	pod := objects.Pod("pod", t.Image)
	pod.Spec.InitContainers = []corev1.Container{ask("three", objects.ShowAndEnd, 3), sidecar(ask("sidecar", objects.ShowAndStay, 1)), ask("two", objects.ShowAndEnd, 2)}
	pod.Spec.Containers = []corev1.Container{ask("main", objects.ShowAndStay, 1), ask("other", objects.ShowAndStay, 1)}

	pod = t.RunPod(pod)

	t.Expect(pod.Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim in the pod's status")
	claim := t.WaitAllocated(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName)
	var allocated []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		allocated = append(allocated, r.Device)
	}
	t.Expect(allocated).To(gomega.HaveLen(3), "allocated devices: the maximum in use at a time, not the sum")
	t.Expect(t.Environment("pod", "three")).To(matchers.SeeOnlyDevices(allocated...), "the init container requesting three")
	two := matchers.DevicesIn(t.Environment("pod", "two"))
	t.Expect(two).To(gomega.And(gomega.HaveLen(2), gomega.HaveEach(gomega.BeElementOf(allocated))), "the init container requesting two")
	var running []string
	for _, container := range []string{"sidecar", "main", "other"} {
		seen := matchers.DevicesIn(t.Environment("pod", container))
		t.Expect(seen).To(gomega.HaveLen(1), "devices of container %s", container)
		running = append(running, seen...)
	}
	t.Expect(running).To(gomega.ConsistOf(allocated), "the devices of the sidecar and of the two containers")
	t.Expect(two).NotTo(gomega.ContainElement(running[0]), "the init container running beside the sidecar")
}}
