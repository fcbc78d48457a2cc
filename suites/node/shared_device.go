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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedDevice gives two pods a share of one device each. One share stays prepared when the other
// is unprepared.
var SharedDevice = harness.Case{Meta: spec.Meta{
	ID:       "node/shared-device",
	Checks:   "Pods with shares of one device each use it through their own claim, and the podresources API lists share IDs.",
	Requires: []spec.RequirementID{"kep-5075/share-in-podresources", "kep-4381/unprepare-each-prepared"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ConsumableCapacity}, Since: "1.36", Profile: profiles.SharedCapacity()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	ids := runShares(t)
	t.Expect(ids["first"]).NotTo(gomega.Equal(ids["second"]), "ID of the first share, not of the second")
	for name, id := range ids {
		t.Driver.ExpectDevices(name, "main", t.Claim(name))
		found := kubelet.PodResources(t, t.Nodes[0], name)
		for answer, devices := range map[string][]spec.ContainerDevice{"List": found.List, "Get": found.Get} {
			t.Expect(devices).To(gomega.ConsistOf(gomega.And(gomega.HaveField("Device", "device-0"), gomega.HaveField("Share", id))), "devices of pod %s in the answer to %s", name, answer)
		}
	}

	t.RemovePod("first")
	t.WaitDeallocated("first")
	simdriver.Of(t).ExpectCallsAtLeast(spec.Unprepare, "first", 1, "for the share of the deleted pod")
	t.Driver.ExpectHeld(t.Claim("second"))
	t.RemovePod("second")
	t.Driver.AwaitUnprepared()
}}

// HealthOfShares gives two pods a share of one device and makes it unhealthy.
var HealthOfShares = harness.Case{Meta: spec.Meta{
	ID:       "node/health-of-shares",
	Checks:   "The container status of each share reports the health of a shared device.",
	Requires: []spec.RequirementID{"kep-4680/health-in-status"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.ConsumableCapacity, spec.ResourceHealthStatus}, Since: "1.36", Profile: profiles.ReportingHealth(profiles.SharedCapacity()),
	},
}, Run: func(t *harness.T) {
	ids := runShares(t)
	await := func(health corev1.ResourceHealthStatus) {
		for name := range ids {
			waitHealthOf(t, name, health)
		}
	}
	await(corev1.ResourceHealthStatusHealthy)
	simdriver.Of(t).Publish(profiles.ReportingHealth(profiles.SharedCapacity(), "device-0"))
	await(corev1.ResourceHealthStatusUnhealthy)
}}

// runShares runs two pods on one node with a share of device-0 each. It returns the share IDs by
// claim name, equal to the pod name.
func runShares(t *harness.T) map[string]string {
	class, ids := t.CreateClass(nil), map[string]string{}
	for _, name := range []string{"first", "second"} {
		t.Create(objects.Claim(name, objects.Request("req", class)))
		t.RunPod(objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[0]))
		result := t.Claim(name).Status.Allocation.Devices.Results[0]
		t.Expect(result.ShareID).NotTo(gomega.BeNil(), "ID of the share of claim %s", name)
		ids[name] = string(*result.ShareID)
	}
	return ids
}
