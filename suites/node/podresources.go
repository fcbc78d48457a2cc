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
	"reflect"

	"github.com/onsi/gomega"
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

// PodResources has two containers with a different request of one claim each.
var PodResources = harness.Case{Meta: spec.Meta{
	ID:         "node/podresources-of-request",
	Checks:     "The podresources API lists for each container only the devices of its own request.",
	Requires:   []spec.RequirementID{"kep-3695/devices-of-container"},
	Needs:      spec.Needs{Profile: profiles.TwoDevices()},
	Catches:    []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests"},
	KnownIssue: issues.Known("podresources-of-request"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("one", class), objects.Request("two", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Container("other", t.Image, objects.ShowAndStay))
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "one"}}
	pod.Spec.Containers[1].Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "two"}}

	t.RunPod(pod)

	want, stock := podResources(t)
	for _, d := range want {
		t.Expect(t.Environment("pod", d.Container)).To(matchers.SeeOnlyDevices(d.Device), "the device of container %s", d.Container)
	}
	found := kubelet.PodResources(t, t.Nodes[0], "pod")
	if reflect.DeepEqual(found.List, stock) && reflect.DeepEqual(found.Get, stock) {
		t.KnownIssue("expected each of two containers with one request each to be listed with 1 device, got both devices for the second container")
		return
	}
	t.Expect(found.List).To(gomega.Equal(want), "devices of the containers in the answer to List")
	t.Expect(found.Get).To(gomega.Equal(want), "devices of the containers in the answer to Get")
}}

// podResources returns the devices of containers main and other for a claim with two requests, and
// Kubernetes' known wrong answer.
func podResources(t *harness.T) (want, stock []spec.ContainerDevice) {
	results := t.WaitAllocated("claim").Status.Allocation.Devices.Results
	ids := simdriver.Of(t).Calls(spec.Prepare, "claim")[0].Claims[0].CDIDevices
	t.Expect(ids).To(gomega.HaveLen(2), "CDI devices of the driver's answer")
	for i, container := range []string{"main", "other"} {
		for j, r := range results {
			device := spec.ContainerDevice{Container: container, Namespace: t.Namespace, Claim: "claim", Driver: r.Driver, Pool: r.Pool, Device: r.Device, CDIDevices: ids[j : j+1]}
			if i == j {
				want = append(want, device)
			}
			device.CDIDevices = ids[:j+1]
			stock = append(stock, device)
		}
	}
	return want, stock
}
