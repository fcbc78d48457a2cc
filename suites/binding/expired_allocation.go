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

package binding

import (
	"regexp"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ExpiredAllocation schedules a pod with an allocated claim. A previous scheduler had waited too
// long for its device.
var ExpiredAllocation = harness.Case{Meta: spec.Meta{
	ID:       "binding/expired-allocation",
	Checks:   "The scheduler gives an unused, expired allocation up at once and binds the pod to a node with a ready device.",
	Requires: []spec.RequirementID{"kep-5007/restart-recovers", "kep-5007/timeout-reschedules"},
	Needs:    spec.Needs{Features: features(), Profile: profiles.Empty(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	silent, ready := t.Nodes[0], t.Nodes[1]
	class := t.CreateClass(nil)
	allocatedAgo(t, objects.Claim("claim", objects.Request("req", class)), silent, 24*time.Hour, resourceapi.DeviceRequestAllocationResult{
		Request: "req", Driver: t.DriverName(), Pool: silent, Device: "device-0",
		BindingConditions: []string{profiles.Attached, profiles.Configured}, BindingFailureConditions: []string{profiles.AttachFailed},
	})
	simdriver.Of(t).PublishOn(ready, profiles.FabricDevice()) // nothing published earlier can still be in the scheduler's cache
	simdriver.Of(t).Fabric(ready, attached()...)

	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))

	t.Expect(pod.Spec.NodeName).To(gomega.Equal(ready), "node of the pod")
	events := t.Events("pod")
	t.Expect(events).NotTo(gomega.ContainElement(gomega.MatchRegexp(`^BindingConditionsPending: .*%s(\s|$)`, regexp.QuoteMeta(silent))), "pod waited for the silent device")
	t.Expect(events).NotTo(gomega.ContainElement(gomega.ContainSubstring("device binding timeout")), "pod waited until the time was up")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevicesFrom(ready), "pool of the device")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the container")
}}

// allocatedAgo creates a claim with an allocation of this age, as a scheduler writes it, and
// returns the allocation's time.
func allocatedAgo(t *harness.T, claim *resourceapi.ResourceClaim, node string, ago time.Duration, device resourceapi.DeviceRequestAllocationResult) time.Time {
	claim.Finalizers = []string{resourceapi.Finalizer}
	t.Create(claim)
	t.Step("allocate claim %s on %s as a scheduler did %s ago", claim.Name, node, ago)
	at := metav1.Now().Rfc3339Copy().Add(-ago)
	claim.Status.Allocation = &resourceapi.AllocationResult{
		AllocationTimestamp: &metav1.Time{Time: at},
		NodeSelector:        objects.Nodes(node),
		Devices:             resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{device}},
	}
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "allocate claim %s", claim.Name)
	return at
}
