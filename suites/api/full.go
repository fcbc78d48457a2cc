package api

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

// The objects of this file have every field of their spec set that Kubernetes has on by
// default, apart from one of two that exclude each other, in one of their entries.

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
