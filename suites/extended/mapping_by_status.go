package extended

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// MappingByStatus plays the scheduler for a pod with an extended resource.
var MappingByStatus = harness.Case{Meta: spec.Meta{
	ID: "extended/mapping-by-status",
	Checks: "Each of two containers gets the device of the request to which the pod's status maps it, whatever requests are named and in whatever order; " +
		"a claim that only has the annotation of a special claim is none.",
	Requires: []spec.RequirementID{"kep-5004/mapping-not-by-name", "kep-5004/claim-in-pod-status"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.FourDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests", "driver-prepare-all-cdi"},
}, Run: func(t *harness.T) {
	resource, node := createClass(t), t.Nodes[0]
	one := map[string]int64{resource: 1}
	pod := unscheduled(objects.PodWanting("pod", t.Image, one))
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Wants(objects.Container("other", t.Image, objects.ShowAndStay), one))
	t.Create(pod)
	// The names are those that a scheduler gives, each for the other container.
	allocate := func(name, first, second string) {
		claim := objects.Claim(name, objects.Request("container-0-request-0", t.Driver.Name), objects.Request("container-1-request-0", t.Driver.Name))
		claim.Annotations = map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"}
		claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
		claim.Finalizers = []string{resourceapi.Finalizer}
		t.Create(claim)
		result := func(request, device string) resourceapi.DeviceRequestAllocationResult {
			return resourceapi.DeviceRequestAllocationResult{Request: request, Driver: t.Driver.Name, Pool: node, Device: device}
		}
		claim.Status.Allocation = &resourceapi.AllocationResult{
			NodeSelector: objects.OnlyOn(objects.Pod("", ""), node).Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
				result("container-0-request-0", first), result("container-1-request-0", second)}},
		}
		claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}}
		_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
		t.NoError(err, "allocate claim %s", name)
	}
	allocate("annotated", "device-0", "device-1")
	allocate("named", "device-2", "device-3")

	t.Step("map the containers to requests of the claim that is named, and bind the pod")
	pods := t.Client.CoreV1().Pods(t.Namespace)
	pod.Status.ExtendedResourceClaimStatus = mapping("named", resource, map[string]string{"main": "container-1-request-0", "other": "container-0-request-0"})
	_, err := pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	t.NoError(err, "map the containers")
	t.NoError(pods.Bind(t.Context(), binding(pod, node), metav1.CreateOptions{}), "bind the pod")

	t.WaitRunning("pod")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-3"), "device of the first container")
	t.Expect(t.Environment("pod", "other")).To(matchers.SeeOnlyDevices("device-2"), "device of the second container")
	t.Expect(t.Driver.CalledOn("annotated")).To(gomega.BeEmpty(), "nodes on which the driver was called for the claim that the pod's status does not name")
}}
