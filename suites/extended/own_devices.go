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
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OwnDevices has two containers requesting two extended resources each. A third one requests and
// sees nothing.
var OwnDevices = harness.Case{Meta: spec.Meta{
	ID:       "extended/own-devices",
	Checks:   "Each container sees only the devices of its own extended resource requests.",
	Requires: []spec.RequirementID{"kep-5004/only-own-devices", "kep-5004/explicit-name", "kep-5004/implicit-name"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoModels()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	explicit := t.DriverName() + "/device"
	t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Spec.ExtendedResourceName = &explicit
		c.Spec.Selectors = append(c.Spec.Selectors, byModel(t, "a"))
	})
	second := t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Name += ".b"
		c.Spec.Selectors = append(c.Spec.Selectors, byModel(t, "b"))
	})
	one := map[string]int64{explicit: 1, implicit(second): 1}
	pod := objects.PodWanting("pod", t.Image, one)
	pod.Spec.Containers = append(pod.Spec.Containers,
		objects.Wants(objects.Container("other", t.Image, objects.ShowAndStay), one), objects.Container("none", t.Image, objects.ShowAndStay))

	pod = t.RunPod(pod)

	mapped := mappedDevices(t, pod)
	var all []string
	for _, container := range []string{"main", "other"} {
		seen := matchers.DevicesIn(t.Environment("pod", container))
		t.Expect(seen).To(gomega.HaveExactElements(
			gomega.BeElementOf("device-0", "device-1"), gomega.BeElementOf("device-2", "device-3")),
			"container %s: one device of model a, one of model b", container)
		t.Expect(seen).To(gomega.ConsistOf(mapped[container]), "container %s: the devices of its requests", container)
		all = append(all, seen...)
	}
	t.Expect(all).To(gomega.ConsistOf("device-0", "device-1", "device-2", "device-3"), "each device is seen by one container")
	t.Expect(t.Environment("pod", "none")).To(matchers.SeeNothing(), "devices visible to the container without requests")
}}

func byModel(t *harness.T, model string) resourceapi.DeviceSelector {
	return objects.Selector(fmt.Sprintf("device.attributes[%q].%s == %q", t.DriverName(), profiles.Model, model))
}

// mappedDevices returns the devices allocated to each container's requests in the pod's status.
func mappedDevices(t *harness.T, pod *corev1.Pod) map[string][]string {
	status := pod.Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the pod's status")
	results := t.WaitAllocated(status.ResourceClaimName).Status.Allocation.Devices.Results
	devices := map[string][]string{}
	for _, m := range status.RequestMappings {
		for _, r := range results {
			if r.Request == m.RequestName {
				devices[m.ContainerName] = append(devices[m.ContainerName], r.Device)
			}
		}
	}
	return devices
}
