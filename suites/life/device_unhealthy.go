package life

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceUnhealthy is about: kubernetes-sigs/dra-driver-nvidia-gpu#878. It is fair on all
// kubelets that tell health at all.
var DeviceUnhealthy = harness.Case{Meta: spec.Meta{
	ID: "life/device-unhealthy",
	Checks: "When the device of a pod becomes unhealthy the pod's status says so, and when it is healed, that it is healthy again, without " +
		"a restart of the driver; it then serves another pod.",
	Requires: []spec.RequirementID{"kep-4680/health-in-status", "kubeletplugin/health-reported"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ResourceHealthStatus}, Devices: 1, Installed: true, Disruption: true,
		DriverFeatures: []spec.DriverFeature{spec.DriverHealth}, Hooks: []spec.HookName{spec.HookMakeUnhealthy, spec.HookHeal},
	},
	WaitsFor:      "How soon a driver notices is its vendor's to say.",
	SerialBecause: "It breaks a device of the node.",
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	// A driver may answer with a taint that has pods evicted, and then no status would tell.
	t.Create(objects.Tolerating(objects.Claim("claim", t.Request("req")), nil))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	waitHealth(t, "pod", corev1.ResourceHealthStatusHealthy)

	driver.MakeUnhealthy(claim, node)
	waitHealth(t, "pod", corev1.ResourceHealthStatusUnhealthy)
	driver.Heal(claim, node)
	waitHealth(t, "pod", corev1.ResourceHealthStatusHealthy)

	t.RemovePod("pod")
	t.AwaitReleased("claim")
	again(t, claim, node)
}}

// waitHealth waits until the status of a pod's container tells nothing else of its devices.
func waitHealth(t *harness.T, pod string, want corev1.ResourceHealthStatus) {
	t.WaitPod(pod, fmt.Sprintf("with devices that are %s", want), func(p *corev1.Pod) (bool, error) {
		n := 0
		for _, c := range p.Status.ContainerStatuses {
			for _, r := range c.AllocatedResourcesStatus {
				for _, h := range r.Resources {
					if n++; h.Health != want {
						return false, nil
					}
				}
			}
		}
		return n > 0, nil
	})
}
