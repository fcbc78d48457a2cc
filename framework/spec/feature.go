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

// The features of DRA beyond its core, KEP numbers in upstream's
// pkg/features/kube_features.go.
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

	// Those that are off by default in all releases so far.
	ListAttributes      Feature = "DRAListTypeAttributes"
	DerivedAttributes   Feature = "DRADerivedAttributes"
	OptionalOperations  Feature = "DRAOptionalNodeOperations"
	NodeAllocatable     Feature = "DRANodeAllocatableResources"
	CompatibilityGroups Feature = "DRADeviceCompatibilityGroups"
	PartitionTypes      Feature = "DRAPartitionableDevicesType"
	PoolStatus          Feature = "DRAResourcePoolStatus"
	WorkloadClaims      Feature = "DRAWorkloadResourceClaims"

	// FilterTimeout is the scheduler's, which ends a search that takes too long.
	FilterTimeout Feature = "DRASchedulerFilterTimeout"

	// FractionalCapacityRange is on by default only where all components are 1.37 or newer
	// for sure (--min-compatibility-version).
	FractionalCapacityRange Feature = "DRAFractionalCapacityRange"
)

// OnKubelets tells whether kubelets take part in the feature. Of the others they know
// the gate and do not look at it (k8s.io/kubernetes v1.34.4 to v1.37.1, pkg/kubelet).
func (f Feature) OnKubelets() bool {
	return slices.Contains([]Feature{ExtendedResource, ResourceHealthStatus, OptionalOperations, NodeAllocatable, WorkloadClaims}, f)
}

// OfScheduler tells whether the scheduler alone looks at the gate, so that what the API
// server says of it says nothing (k8s.io/kubernetes v1.34.4 to v1.37.1, pkg/scheduler).
func (f Feature) OfScheduler() bool { return f == FilterTimeout }

// InV1Since is the first release whose resource.k8s.io/v1 has the kind that the feature is
// about, where older ones have the gate, too: there the kind is in v1beta2 and v1alpha3 only,
// which no component and no case uses (k8s.io/api v0.37.1, resource/v1/types.go). It is empty
// for other features.
func (f Feature) InV1Since() string {
	if f == DeviceTaintRules {
		return "1.37"
	}
	return ""
}
