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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// HealthNamed uses a claim from a template in one container, and in others parts of a shared claim
// under a different name. A container naming a request lists the device of this request only. Both
// pods of a shared claim report an unhealthy device.
var HealthNamed = harness.Case{Meta: spec.Meta{
	ID:       "node/health-named",
	Checks:   "A container's status lists device health under the pod's name for the claim and the referenced request.",
	Requires: []spec.RequirementID{"kep-4680/health-by-pods-name", "kep-4680/health-in-status"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ResourceHealthStatus}, Profile: profiles.ReportingHealth(profiles.Devices(3))},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("shared", objects.Request("one", class), objects.Request("two", class)),
		objects.Template("template", objects.Claim("", objects.Request("req", class))))
	pod := objects.PodFromTemplate("pod", t.Image, "template")
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "own-name", ResourceClaimName: ptr.To("shared")})
	part := objects.Container("part", t.Image, objects.ShowAndStay)
	part.Resources.Claims = []corev1.ResourceClaim{{Name: "own-name", Request: "two"}}
	pod.Spec.Containers = append(pod.Spec.Containers, part)
	pod = t.RunPod(pod)
	t.RunPod(objects.Pod("joins", t.Image, "shared"))

	made := deviceHealth(t, t.WaitAllocated(*pod.Status.ResourceClaimStatuses[0].ResourceClaimName))
	shared := deviceHealth(t, t.Claim("shared"))
	waitListed(t, "pod", "main", "claim:claim", made...)
	waitListed(t, "pod", "part", "claim:own-name/two", shared[1])
	waitListed(t, "joins", "main", "claim:shared", shared...)

	simdriver.Of(t).Publish(profiles.ReportingHealth(profiles.Devices(3), t.Claim("shared").Status.Allocation.Devices.Results[1].Device))
	shared[1].Health = corev1.ResourceHealthStatusUnhealthy
	waitListed(t, "pod", "part", "claim:own-name/two", shared[1])
	waitListed(t, "joins", "main", "claim:shared", shared...)
	waitListed(t, "pod", "main", "claim:claim", made...)
}}

// deviceHealth returns the expected entries for a claim's healthy devices in allocation order.
func deviceHealth(t *harness.T, claim *resourceapi.ResourceClaim) []corev1.ResourceHealth {
	calls := simdriver.Of(t).Calls(spec.Prepare, claim.Name)
	t.Expect(calls).NotTo(gomega.BeEmpty(), "NodePrepareResources calls for claim %s", claim.Name)
	var all []corev1.ResourceHealth
	for _, id := range answeredFor(calls[0], claim.Name) {
		all = append(all, corev1.ResourceHealth{ResourceID: corev1.ResourceID(id), Health: corev1.ResourceHealthStatusHealthy})
	}
	return all
}

// waitListed waits until a container's status lists exactly one resource of this name with exactly
// these devices.
func waitListed(t *harness.T, pod, container string, name corev1.ResourceName, devices ...corev1.ResourceHealth) {
	t.WaitPod(pod, "one whose container "+container+" has the expected devices under "+string(name), func(p *corev1.Pod) (bool, error) {
		listed := statusOf(p, container).AllocatedResourcesStatus
		if len(listed) != 1 || listed[0].Name != name {
			return false, nil
		}
		for i := range listed[0].Resources {
			listed[0].Resources[i].Message = nil
		}
		return gomega.ConsistOf(devices).Match(listed[0].Resources)
	})
}
