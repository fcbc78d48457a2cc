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
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Health makes a claim's device unhealthy and healthy again.
var Health = harness.Case{Meta: spec.Meta{
	ID:       "node/health",
	Checks:   "A container's status follows the health of its claim's device.",
	Requires: []spec.RequirementID{"kep-4680/health-in-status"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ResourceHealthStatus}, Profile: profiles.ReportingHealth(profiles.TwoDevices())},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	t.Create(objects.Pod("pod", t.Image, "claim"))
	device := t.WaitAllocated("claim").Status.Allocation.Devices.Results[0].Device

	waitHealth(t, corev1.ResourceHealthStatusHealthy)
	simdriver.Of(t).Publish(profiles.ReportingHealth(profiles.TwoDevices(), device))
	waitHealth(t, corev1.ResourceHealthStatusUnhealthy)
	simdriver.Of(t).Publish(profiles.ReportingHealth(profiles.TwoDevices()))
	waitHealth(t, corev1.ResourceHealthStatusHealthy)
}}

// HealthReported runs with any driver reporting health.
var HealthReported = harness.Case{Meta: spec.Meta{
	ID:       "node/health-told",
	Checks:   "A container's status reports the health of its claim's device if the driver does.",
	Requires: []spec.RequirementID{"kep-4680/health-in-status"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ResourceHealthStatus}, Profile: profiles.ReportingHealth(profiles.OneDevice()),
		Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverHealth},
	},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	t.Create(t.Pod("pod", "claim"))

	waitHealth(t, corev1.ResourceHealthStatusHealthy)
}}

// HealthOfInitContainer uses one device in a sidecar and in a container.
var HealthOfInitContainer = harness.Case{Meta: spec.Meta{
	ID:         "node/health-of-init-container",
	Checks:     "The status of a restartable init container reports the health of its device.",
	Requires:   []spec.RequirementID{"kep-4680/health-of-init-containers"},
	Needs:      spec.Needs{Features: []spec.Feature{spec.ResourceHealthStatus}, Profile: profiles.ReportingHealth(profiles.OneDevice())},
	KnownIssue: issues.Known("kubernetes#139940"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	sidecar := objects.Container("sidecar", t.Image, objects.ShowAndStay, "claim")
	sidecar.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	pod.Spec.InitContainers = []corev1.Container{sidecar}
	t.RunPod(pod)

	simdriver.Of(t).Publish(profiles.ReportingHealth(profiles.OneDevice(), "device-0"))
	pod = waitHealth(t, corev1.ResourceHealthStatusUnhealthy)

	if sidecar := pod.Status.InitContainerStatuses[0]; len(sidecar.AllocatedResourcesStatus) == 0 {
		t.KnownIssue("expected an unhealthy device in the statuses of container and init container, got none in that of the init container")
	} else {
		t.Expect(healthOf(sidecar)).To(gomega.HaveExactElements(corev1.ResourceHealthStatusUnhealthy), "health in the init container's status")
	}
}}

// HealthOfExtendedResource uses a claim in one container and an extended resource in another.
var HealthOfExtendedResource = harness.Case{Meta: spec.Meta{
	ID:       "node/health-of-extended-resource",
	Checks:   "The status of a container with an extended resource reports the health of its device.",
	Requires: []spec.RequirementID{"kep-4680/health-of-extended-resources"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ResourceHealthStatus, spec.ExtendedResource}, Profile: profiles.ReportingHealth(profiles.TwoDevices()),
	},
	KnownIssue: issues.Known("kubernetes#139939"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Wants(
		objects.Container("extended", t.Image, objects.ShowAndStay), map[string]int64{resourceapi.ResourceDeviceClassPrefix + class: 1}))
	t.RunPod(pod)

	simdriver.Of(t).Publish(profiles.ReportingHealth(profiles.TwoDevices(), "device-0", "device-1"))
	pod = waitHealth(t, corev1.ResourceHealthStatusUnhealthy)

	extended := statusOf(pod, "extended")
	if len(extended.AllocatedResourcesStatus) == 0 {
		t.KnownIssue("expected an unhealthy device in the statuses of both containers, got none in that of the container with the extended resource")
		return
	}
	t.Expect(healthOf(extended)).To(gomega.HaveExactElements(corev1.ResourceHealthStatusUnhealthy), "health of the extended resource's device")
}}

// waitHealth waits until the only device of container main has this health.
func waitHealth(t *harness.T, health corev1.ResourceHealthStatus) *corev1.Pod {
	return waitHealthOf(t, "pod", health)
}

// waitHealthOf is waitHealth for another pod.
func waitHealthOf(t *harness.T, pod string, health corev1.ResourceHealthStatus) *corev1.Pod {
	return t.WaitPod(pod, "running with a device reported as "+string(health), func(p *corev1.Pod) (bool, error) {
		return slices.Equal(healthOf(statusOf(p, "main")), []corev1.ResourceHealthStatus{health}), nil
	})
}

// reports reports whether the only device of container main gets this health within statusTime.
func reports(t *harness.T, health corev1.ResourceHealthStatus) bool {
	return t.OccursWithin(statusTime, "the pod's device to be "+string(health), func(ctx context.Context) (bool, string, error) {
		p, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		seen := healthOf(statusOf(p, "main"))
		return slices.Equal(seen, []corev1.ResourceHealthStatus{health}), fmt.Sprint(seen), nil
	})
}

// statusTime exceeds the kubelet's latency for a device update, the next pod sync and the status
// write: 1 s + 10 s + 10 s (k8s.io/kubernetes v1.37.1 pkg/kubelet/status).
const statusTime = 25 * time.Second

func statusOf(pod *corev1.Pod, container string) corev1.ContainerStatus {
	for _, s := range pod.Status.ContainerStatuses {
		if s.Name == container {
			return s
		}
	}
	return corev1.ContainerStatus{}
}

// healthOf returns the health of all devices in a container's status.
func healthOf(status corev1.ContainerStatus) []corev1.ResourceHealthStatus {
	var all []corev1.ResourceHealthStatus
	for _, resource := range status.AllocatedResourcesStatus {
		for _, device := range resource.Resources {
			all = append(all, device.Health)
		}
	}
	return all
}
