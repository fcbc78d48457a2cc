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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// MappingByStatus simulates the scheduler for a pod with an extended resource. Request names and
// order do not matter. A claim with only the annotation of a special claim is ignored.
var MappingByStatus = harness.Case{Meta: spec.Meta{
	ID:       "extended/mapping-by-status",
	Checks:   "Containers get the devices of the requests mapped to them in the pod's extendedResourceClaimStatus.",
	Requires: []spec.RequirementID{"kep-5004/mapping-not-by-name", "kep-5004/claim-in-pod-status"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests", "driver-prepare-all-cdi"},
}, Run: func(t *harness.T) {
	resource, node := createClass(t), t.Nodes[0]
	one := map[string]int64{resource: 1}
	pod := unscheduled(objects.PodWanting("pod", t.Image, one))
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Wants(objects.Container("other", t.Image, objects.ShowAndStay), one))
	t.Create(pod)
	allocateSpecial(t, pod, "annotated", node, "device-0", "device-1")
	allocateSpecial(t, pod, "named", node, "device-2", "device-3")

	// The names are a scheduler's, swapped between the containers.
	t.Step("map the containers to requests of the named claim, and bind the pod")
	pods := t.Client.CoreV1().Pods(t.Namespace)
	pod.Status.ExtendedResourceClaimStatus = mapping("named", resource, map[string]string{"main": "container-1-request-0", "other": "container-0-request-0"})
	_, err := pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	t.NoError(err, "map the containers")
	t.NoError(pods.Bind(t.Context(), binding(pod, node), metav1.CreateOptions{}), "bind the pod")

	t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-3"), "device of the first container")
	t.Expect(t.Environment("pod", "other")).To(matchers.SeeOnlyDevices("device-2"), "device of the second container")
	t.Expect(simdriver.Of(t).CalledOn("annotated")).To(gomega.BeEmpty(), "nodes with calls of the driver for the claim not named in the pod's status")
}}

// allocateSpecial creates an allocated special claim as the scheduler does, reserved for the pod,
// with one of these devices of a node per container.
func allocateSpecial(t *harness.T, pod *corev1.Pod, name, node string, devices ...string) {
	claim := objects.Claim(name)
	claim.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
	claim.Finalizers = []string{resourceapi.Finalizer}
	allocation := &resourceapi.AllocationResult{
		NodeSelector: objects.Nodes(node),
	}
	for i, device := range devices {
		request := fmt.Sprintf("container-%d-request-0", i)
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, objects.Request(request, t.DriverName()))
		allocation.Devices.Results = append(allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: request, Driver: t.DriverName(), Pool: node, Device: device})
	}
	t.Create(claim)
	claim.Status.Allocation = allocation
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{objects.Consumer(pod)}
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "allocate claim %s", name)
}
