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

package api

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TaintsOff writes taints and tolerations to an API server without device taints.
var TaintsOff = harness.Case{Meta: spec.Meta{
	ID:       "api/taints-off",
	Checks:   "While device taints are disabled, tolerations of new claims and taints of new slices are dropped.",
	Requires: []spec.RequirementID{"kep-5055/gate-off-drops-fields"},
	Needs:    spec.Needs{NoNode: true, Since: "1.35", Off: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	tolerated := []resourceapi.DeviceToleration{{Key: "example.com/taint", Operator: resourceapi.DeviceTolerationOpExists}}
	exact, listed := validClaim(), claimWithAlternatives()
	exact.Spec.Devices.Requests[0].Exactly.Tolerations = tolerated
	listed.Name = "listed"
	listed.Spec.Devices.Requests[0].FirstAvailable[1].Tolerations = tolerated
	slice := validSlice()
	slice.Name = t.Namespace
	slice.Spec.Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "example.com/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	t.Create(exact, listed, slice)

	t.Expect(t.Claim("claim").Spec.Devices.Requests[0].Exactly.Tolerations).To(gomega.BeEmpty(), "stored tolerations of a request")
	t.Expect(t.Claim("listed").Spec.Devices.Requests[0].FirstAvailable[1].Tolerations).To(gomega.BeEmpty(), "stored tolerations of an alternative")
	t.Expect(storedDevice(t).Taints).To(gomega.BeEmpty(), "stored taints of a device")
}}

// CapacityOff writes fields of consumable capacity to an API server without it.
var CapacityOff = harness.Case{Meta: spec.Meta{
	ID:       "api/capacity-off",
	Checks:   "While consumable capacity is disabled, its fields in new claims and slices are dropped.",
	Requires: []spec.RequirementID{"kep-5075/gate-off-drops-fields"},
	Needs:    spec.Needs{NoNode: true, Since: "1.35", Off: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	claim, slice := validClaim(), sharedSlice()
	claim.Spec.Devices.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("1")}}
	valuesPolicy("1", "1", "2")(slice)
	slice.Name = t.Namespace
	t.Create(claim, slice)
	t.Expect(t.Claim("claim").Spec.Devices.Requests[0].Exactly.Capacity).To(gomega.BeNil(), "stored capacity of a request")
	device := storedDevice(t)
	t.Expect(device.AllowMultipleAllocations).To(gomega.BeNil(), "stored permission for multiple allocations")
	t.Expect(device.Capacity["memory"].RequestPolicy).To(gomega.BeNil(), "stored policy")

	// Without its only attribute, the constraint is invalid.
	distinct := objects.Claim("distinct", objects.Request("req", "class"))
	distinct.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{DistinctAttribute: ptr.To[resourceapi.FullyQualifiedName]("example.com/model")}}
	err := createClaim(t)(distinct)
	t.Expect(apierrors.IsInvalid(err)).To(gomega.BeTrue(), "a constraint with distinctAttribute only to be refused, got: %v", err)
}}

// BindingConditionsOff writes binding conditions to an API server without them.
var BindingConditionsOff = harness.Case{Meta: spec.Meta{
	ID:       "api/binding-conditions-off",
	Checks:   "While binding conditions are disabled, they are dropped from new slices and allocations.",
	Requires: []spec.RequirementID{"kep-5007/gate-off-drops-fields"},
	Needs:    spec.Needs{NoNode: true, Since: "1.35", Off: []spec.Feature{spec.BindingConditions}},
}, Run: func(t *harness.T) {
	ready, failed := []string{"example.com/ready"}, []string{"example.com/failed"}
	slice := validSlice()
	slice.Name = t.Namespace
	onDevice(func(d *resourceapi.Device) {
		d.BindingConditions, d.BindingFailureConditions, d.BindsToNode = ready, failed, ptr.To(true)
	})(slice)
	t.Create(slice, validClaim())
	device := storedDevice(t)
	t.Expect(append(device.BindingConditions, device.BindingFailureConditions...)).To(gomega.BeEmpty(), "stored binding conditions of a device")
	t.Expect(device.BindsToNode).To(gomega.BeNil(), "stored bindsToNode")

	claim := t.Claim("claim")
	claim.Status.Allocation = allocation("device")
	result := &claim.Status.Allocation.Devices.Results[0]
	result.BindingConditions, result.BindingFailureConditions = ready, failed
	stored, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "allocate the claim")
	result = &stored.Status.Allocation.Devices.Results[0]
	t.Expect(append(result.BindingConditions, result.BindingFailureConditions...)).To(gomega.BeEmpty(), "stored binding conditions of an allocated device")
}}

// storedDevice returns the device of the slice with the namespace's name.
func storedDevice(t *harness.T) resourceapi.Device {
	slice, err := t.Client.ResourceV1().ResourceSlices().Get(t.Context(), t.Namespace, metav1.GetOptions{})
	t.NoError(err, "get the slice")
	return slice.Spec.Devices[0]
}
