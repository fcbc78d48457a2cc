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
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

// The objects of this file have all fields of their spec or status set, except those disabled by
// default. Mutually exclusive fields are in different entries.

func fullClaim() *resourceapi.ResourceClaim {
	tolerations := []resourceapi.DeviceToleration{
		{Key: "a.b/c", Operator: resourceapi.DeviceTolerationOpEqual, Value: "d", Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: ptr.To(int64(5))},
		{Operator: resourceapi.DeviceTolerationOpExists},
	}
	capacity := &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"a.b/memory": resource.MustParse("2Gi")}}
	selectors := []resourceapi.DeviceSelector{objects.Selector("true"), objects.Selector(`device.driver == "d"`)}
	claim := objects.Claim("",
		resourceapi.DeviceRequest{Name: "exact", Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: "class", Selectors: selectors, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 3,
			AdminAccess: ptr.To(false), Tolerations: tolerations, Capacity: capacity,
		}},
		resourceapi.DeviceRequest{Name: "all", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeAll}},
		resourceapi.DeviceRequest{Name: "first", FirstAvailable: []resourceapi.DeviceSubRequest{
			{Name: "sub", DeviceClassName: "class", Selectors: selectors, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 2, Tolerations: tolerations, Capacity: capacity},
			{Name: "all", DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeAll},
		}},
	)
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{
		{Requests: []string{"exact", "first/sub"}, MatchAttribute: ptr.To[resourceapi.FullyQualifiedName]("a.b/model")},
		{Requests: []string{"all"}, DistinctAttribute: ptr.To[resourceapi.FullyQualifiedName]("a.b/serial")},
	}
	config := objects.ClaimParameters(driver, map[string]string{"a": "b"})
	config.Requests = []string{"exact", "first/sub"}
	claim.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{config}
	return claim
}

// fullStatus is the status of fullClaim once allocated, reserved and prepared.
func fullStatus() resourceapi.ResourceClaimStatus {
	at, share := metav1.NewTime(time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC)), types.UID("00000000-0000-4000-8000-000000000001")
	result := resourceapi.DeviceRequestAllocationResult{
		Request: "first/sub", Driver: driver, Pool: "pool/a", Device: "device", AdminAccess: ptr.To(false), ShareID: &share,
		Tolerations:       []resourceapi.DeviceToleration{{Key: "a.b/c", Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute}},
		BindingConditions: []string{"a.b/ready"}, BindingFailureConditions: []string{"failed"},
		ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"a.b/memory": resource.MustParse("2Gi")},
	}
	parameters := objects.ClaimParameters(driver, map[string]string{"a": "b"})
	return resourceapi.ResourceClaimStatus{
		Allocation: &resourceapi.AllocationResult{
			AllocationTimestamp: &at, NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{nodeTerm(0)}},
			Devices: resourceapi.DeviceAllocationResult{
				Results: []resourceapi.DeviceRequestAllocationResult{result},
				Config: []resourceapi.DeviceAllocationConfiguration{
					{Source: resourceapi.AllocationConfigSourceClaim, Requests: []string{"first/sub"}, DeviceConfiguration: parameters.DeviceConfiguration},
				},
			},
		},
		// Not a pod: the controllers release a claim of missing pods.
		ReservedFor: []resourceapi.ResourceClaimConsumerReference{{APIGroup: "dra-conformance.github.io", Resource: "consumers", Name: "consumer", UID: "00000000-0000-4000-8000-000000000000"}},
		Devices: []resourceapi.AllocatedDeviceStatus{{
			Driver: driver, Pool: "pool/a", Device: "device", ShareID: ptr.To(string(share)), Data: &runtime.RawExtension{Raw: []byte(`{"a":"b"}`)},
			Conditions:  []metav1.Condition{{Type: "a.b/ready", Status: metav1.ConditionTrue, Reason: "Attached", Message: "m", LastTransitionTime: at, ObservedGeneration: 3}},
			NetworkData: &resourceapi.NetworkDeviceData{InterfaceName: "net0", IPs: []string{"192.0.2.1/24"}, HardwareAddress: "00:00:5e:00:53:01"},
		}},
	}
}

func fullClass() *resourceapi.DeviceClass {
	class := objects.Class("", driver)
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{objects.ClassParameters(driver, map[string]string{"a": "b"})}
	class.Spec.ExtendedResourceName = ptr.To("example.com/gpu")
	return class
}

// fullSlice has devices, and fullCounters counters: no slice has both.
func fullSlice() *resourceapi.ResourceSlice {
	added := metav1.NewTime(time.Date(2024, time.May, 1, 12, 0, 0, 0, time.UTC))
	device := resourceapi.Device{
		Name: "device",
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"a": {IntValue: ptr.To(int64(-1))}, "b.c/d": {BoolValue: ptr.To(false)}, "e": {StringValue: ptr.To("")}, "f": {VersionValue: ptr.To("1.2.3-a+b")},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory": {Value: resource.MustParse("16Gi"), RequestPolicy: &resourceapi.CapacityRequestPolicy{Default: quantity("2Gi"), ValidRange: &resourceapi.CapacityRequestPolicyRange{
				Min: quantity("2Gi"), Max: quantity("8Gi"), Step: quantity("2Gi"),
			}}},
			"a.b/cores": {Value: resource.MustParse("4"), RequestPolicy: &resourceapi.CapacityRequestPolicy{Default: quantity("1"), ValidValues: quantities("1", "2")}},
		},
		ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: map[string]resourceapi.Counter{"a": {Value: resource.MustParse("1500m")}}}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: nodeTerm(0).MatchExpressions,
			MatchFields:      []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"node"}}},
		}}},
		Taints:      []resourceapi.DeviceTaint{{Key: "a.b/c", Value: "d", Effect: resourceapi.DeviceTaintEffectNone, TimeAdded: &added}},
		BindsToNode: ptr.To(true), BindingConditions: []string{"a.b/ready"}, BindingFailureConditions: []string{"failed"}, AllowMultipleAllocations: ptr.To(true),
	}
	slice := objects.NetworkSlice("", driver, "pool/a", device,
		resourceapi.Device{Name: "on-a-node", NodeName: ptr.To("node")}, resourceapi.Device{Name: "on-all", AllNodes: ptr.To(true)})
	slice.Spec.AllNodes, slice.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
	slice.Spec.Pool.Generation, slice.Spec.Pool.ResourceSliceCount = 7, 2
	return slice
}

func fullCounters() *resourceapi.ResourceSlice {
	slice := objects.NetworkSlice("", driver, "pool/a")
	slice.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "set", Counters: counters(2)}}
	return slice
}
