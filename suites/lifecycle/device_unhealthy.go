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

package lifecycle

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceUnhealthy is about: kubernetes-sigs/dra-driver-nvidia-gpu#878. It is fair to all kubelets
// reporting health. The device is healed without a driver restart, and then serves another pod.
var DeviceUnhealthy = harness.Case{Meta: spec.Meta{
	ID:       "life/device-unhealthy",
	Checks:   "The driver reports a device in use as unhealthy in the pod's status, and as healthy after it has recovered.",
	Requires: []spec.RequirementID{"kep-4680/health-in-status", "kubeletplugin/health-reported"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ResourceHealthStatus}, Devices: 1, DriverPods: true, Disruption: true,
		DriverFeatures: []spec.DriverFeature{spec.DriverHealth}, Hooks: []spec.HookName{spec.HookMakeUnhealthy, spec.HookHeal},
	},
	WaitsFor:      "How soon a driver notices is its vendor's to say.",
	SerialBecause: "It breaks a device of the node.",
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	// A driver may react with an evicting taint, and then no status would report health.
	t.Create(objects.Tolerating(objects.Claim("claim", t.Driver.Request("req")), nil))
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

// waitHealth waits until the status of a pod's container reports only this health.
func waitHealth(t *harness.T, pod string, want corev1.ResourceHealthStatus) {
	t.WaitPod(pod, fmt.Sprintf("with devices reported as %s", want), func(p *corev1.Pod) (bool, error) {
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
