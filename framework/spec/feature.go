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

package spec

import "slices"

// Feature is a DRA feature by the name of its Kubernetes feature gate.
type Feature string

// The features of DRA beyond its core; KEP numbers are in upstream's pkg/features/kube_features.go.
const (
	AdminAccess          Feature = "DRAAdminAccess"
	PrioritizedList      Feature = "DRAPrioritizedList"
	DeviceStatus         Feature = "DRAResourceClaimDeviceStatus"
	ExtendedResource     Feature = "DRAExtendedResource"
	DeviceTaints         Feature = "DRADeviceTaints"
	DeviceTaintRules     Feature = "DRADeviceTaintRules"
	PartitionableDevices Feature = "DRAPartitionableDevices"
	ConsumableCapacity   Feature = "DRAConsumableCapacity"
	BindingConditions    Feature = "DRADeviceBindingConditions"
	ResourceHealthStatus Feature = "ResourceHealthStatus"

	// Off by default in all releases so far.
	ListAttributes      Feature = "DRAListTypeAttributes"
	DerivedAttributes   Feature = "DRADerivedAttributes"
	OptionalOperations  Feature = "DRAOptionalNodeOperations"
	NodeAllocatable     Feature = "DRANodeAllocatableResources"
	CompatibilityGroups Feature = "DRADeviceCompatibilityGroups"
	PartitionTypes      Feature = "DRAPartitionableDevicesType"
	PoolStatus          Feature = "DRAResourcePoolStatus"
	WorkloadClaims      Feature = "DRAWorkloadResourceClaims"

	// FilterTimeout makes the scheduler end a search that takes too long.
	FilterTimeout Feature = "DRASchedulerFilterTimeout"

	// FractionalCapacityRange of 1.37 is on by default only if all components are known to be 1.37 or newer
	// (--min-compatibility-version); 1.38 has it on by default.
	FractionalCapacityRange Feature = "DRAFractionalCapacityRange"
)

// OnKubelets reports whether kubelets take part in the feature. They ignore the gates of other features
// (k8s.io/kubernetes v1.34.4 to v1.37.1, pkg/kubelet).
func (f Feature) OnKubelets() bool {
	return slices.Contains([]Feature{ExtendedResource, ResourceHealthStatus, OptionalOperations, NodeAllocatable, WorkloadClaims}, f)
}

// OfScheduler reports whether only the scheduler uses the gate, so the API server's value is meaningless
// (k8s.io/kubernetes v1.34.4 to v1.37.1, pkg/scheduler).
func (f Feature) OfScheduler() bool { return f == FilterTimeout }

// InScheduler reports whether the scheduler takes part in the feature (k8s.io/kubernetes v1.34.4 to v1.38.0-beta.0,
// pkg/scheduler/framework/plugins/feature).
func (f Feature) InScheduler() bool {
	return !slices.Contains([]Feature{DeviceStatus, ResourceHealthStatus, PartitionTypes, PoolStatus, GranularStatusAuthorization}, f)
}

// InV1Since is the first release with the feature's kind in resource.k8s.io/v1, if older ones have the gate, too:
// there the kind is in v1beta2 and v1alpha3 only, used by no component and no case (k8s.io/api v0.37.1,
// resource/v1/types.go). It is empty for other features.
func (f Feature) InV1Since() string {
	if f == DeviceTaintRules {
		return "1.37"
	}
	return ""
}
