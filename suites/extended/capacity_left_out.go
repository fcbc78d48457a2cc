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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CapacityLeftOut reads the capacity of a node with DRA devices, by both names.
var CapacityLeftOut = harness.Case{Meta: spec.Meta{
	ID:       "extended/capacity-left-out",
	Checks:   "Extended resources served by DRA are not in the node's capacity, yet pods are scheduled and admitted.",
	Requires: []spec.RequirementID{"kep-5004/capacity-only-of-device-plugins", "kep-5004/admitted-without-capacity", "kep-5004/special-claim-prepared", "kep-5004/drivers-untouched"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-nothing-done"},
}, Run: func(t *harness.T) {
	explicit := createClass(t)
	byName := implicit(t.DriverName())

	t.Create(objects.PodWanting("explicit", t.Image, map[string]int64{explicit: 1}), objects.PodWanting("implicit", t.Image, map[string]int64{byName: 1}))

	for _, name := range []string{"explicit", "implicit"} {
		pod := t.WaitRunning(name)
		t.Expect(pod.Status.ExtendedResourceClaimStatus).NotTo(gomega.BeNil(), "the claim in the status of pod %s", name)
		claim := t.WaitAllocated(pod.Status.ExtendedResourceClaimStatus.ResourceClaimName)
		t.Driver.ExpectHeld(claim)
		t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(claim.Status.Allocation.Devices.Results[0].Device), "device of pod %s", name)
		node, err := t.Client.CoreV1().Nodes().Get(t.Context(), pod.Spec.NodeName, metav1.GetOptions{})
		t.NoError(err, "get the node of pod %s", name)
		for what, list := range map[string]corev1.ResourceList{"capacity": node.Status.Capacity, "allocatable": node.Status.Allocatable} {
			for _, resource := range []string{explicit, byName} {
				quantity := list[corev1.ResourceName(resource)]
				t.Expect(quantity.Value()).To(gomega.BeZero(), "%s of %s of node %s", what, resource, node.Name)
			}
		}
	}
}}
