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

import "time"

// Subject is a driver that is tested as it was found in the cluster, as cases that any
// driver must pass see it. The zero value is no driver.
type Subject struct {
	// Driver is the DRA driver name.
	Driver string `json:"driver"`
	// SubjectClass is what requests ask for, FeatureClasses what they ask for in cases of a
	// feature whose devices are of another class.
	SubjectClass

	FeatureClasses map[DriverFeature]SubjectClass `json:"featureClasses,omitempty"`
	// Features says which the driver has.
	Features map[DriverFeature]bool `json:"features,omitempty"`
	Workload Workload               `json:"workload"`
	// Namespace and Selector lead to the driver's own pods; empty where they are not known.
	Namespace string `json:"namespace,omitempty"`
	Selector  string `json:"selector,omitempty"`
	// DaemonSet is what makes those pods, in Namespace.
	DaemonSet string `json:"daemonSet,omitempty"`
	// Hooks are the vendor's commands that can be run on this machine.
	Hooks map[HookName]Hook `json:"hooks,omitempty"`
	// Removable is whether cases may uninstall the driver: nobody else may use it.
	Removable bool `json:"removable,omitempty"`
	// Template is what a node's devices look like; empty where that is not known.
	Template []DeviceTemplate `json:"template,omitempty"`
	// CheckpointPaths are files on nodes in which the driver keeps what is prepared.
	CheckpointPaths []string `json:"checkpointPaths,omitempty"`
}

// SubjectClass is a class of devices of a driver that is tested as it was found.
type SubjectClass struct {
	// Class and Selectors are what requests ask for.
	Class     string   `json:"class"`
	Selectors []string `json:"selectors,omitempty"`
	// Nodes are those that have such devices in complete pools, and Devices is how many free
	// ones each of them has at the least.
	Nodes   []string `json:"nodes"`
	Devices int      `json:"devices"`
}

// ClassFor is the class for cases that are of these features.
func (s Subject) ClassFor(features []DriverFeature) SubjectClass {
	for _, f := range features {
		if class, ok := s.FeatureClasses[f]; ok {
			return class
		}
	}
	return s.SubjectClass
}

// Workload is what containers run that show what they got of a driver. Commands are
// program and arguments.
type Workload struct {
	// Image is what they run; empty means the cases' own.
	Image string `json:"image,omitempty"`
	// Present succeeds in a container with a device, Absent in one without.
	Present []string `json:"present"`
	Absent  []string `json:"absent"`
	// Identify prints one line for each device of the container; empty if nothing can.
	Identify []string `json:"identify,omitempty"`
}

// DefaultPrepare bounds the time from a pod's being scheduled until it runs, and
// DefaultRepublish that in which a driver publishes, where the vendor has declared nothing.
const (
	DefaultPrepare   = 2 * time.Minute
	DefaultRepublish = 30 * time.Second
)

// DriverFeature is something that a driver can or cannot do.
type DriverFeature string

// The features of drivers.
const (
	DriverPartitionable      DriverFeature = "partitionable"
	DriverConsumableCapacity DriverFeature = "consumableCapacity"
	DriverTaints             DriverFeature = "taints"
	DriverAdminAccess        DriverFeature = "adminAccess"
	DriverExtendedResource   DriverFeature = "extendedResource"
	DriverPrioritizedList    DriverFeature = "prioritizedList"
	DriverDeviceStatus       DriverFeature = "deviceStatus"
	DriverHealth             DriverFeature = "health"
	DriverBindingConditions  DriverFeature = "bindingConditions"
	DriverRollingUpdate      DriverFeature = "rollingUpdate"
	DriverSharedClaim        DriverFeature = "sharedClaim"
	DriverMetadata           DriverFeature = "metadata"
)

// DriverFeatures are all of them, in the order in which they are listed.
func DriverFeatures() []DriverFeature {
	return []DriverFeature{
		DriverPartitionable, DriverConsumableCapacity, DriverTaints, DriverAdminAccess, DriverExtendedResource, DriverPrioritizedList,
		DriverDeviceStatus, DriverHealth, DriverBindingConditions, DriverRollingUpdate, DriverSharedClaim, DriverMetadata,
	}
}
