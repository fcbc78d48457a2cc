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

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"time"
)

// DriverUnderTest is the driver under test, as found in the cluster and seen by driver-independent cases. The zero value is
// no driver.
type DriverUnderTest struct {
	// Driver is the DRA driver name.
	Driver string `json:"driver"`
	// Build identifies the declaration and the images of the driver's pods. Only runs of the same build can be resumed.
	Build string `json:"build,omitempty"`
	// DriverClass is the class of requests, FeatureClasses the classes for cases of features with devices of another
	// class.
	DriverClass

	FeatureClasses map[DriverFeature]DriverClass `json:"featureClasses,omitempty"`
	// Features maps features to whether the driver has them.
	Features map[DriverFeature]bool `json:"features,omitempty"`
	Workload Workload               `json:"workload"`
	// Configs are opaque parameters accepted by the driver for devices of DriverClass.
	Configs []json.RawMessage `json:"configs,omitempty"`
	// Namespace and Selector select the driver's own pods; empty if unknown.
	Namespace string `json:"namespace,omitempty"`
	Selector  string `json:"selector,omitempty"`
	// DaemonSet is the owner of those pods, in Namespace.
	DaemonSet string `json:"daemonSet,omitempty"`
	// Hooks are the vendor's commands runnable on this machine.
	Hooks map[HookName]Hook `json:"hooks,omitempty"`
	// Removable: cases may uninstall the driver, since nobody else uses it.
	Removable bool `json:"removable,omitempty"`
	// Namespaces has labels and annotations for the namespaces of pods.
	Namespaces NamespaceMeta `json:"namespaces,omitzero"`
	// Template describes a node's devices; empty if unknown.
	Template []DeviceTemplate `json:"template,omitempty"`
	// CheckpointPaths are the driver's files of prepared claims on nodes.
	CheckpointPaths []string `json:"checkpointPaths,omitempty"`
}

// DriverClass is a device class of a driver under test.
type DriverClass struct {
	// Class and Selectors are used in requests.
	Class     string   `json:"class"`
	Selectors []string `json:"selectors,omitempty"`
	// Nodes are the nodes with such devices in complete pools, and Devices is the minimum number of free ones on each.
	Nodes   []string `json:"nodes"`
	Devices int      `json:"devices"`
	// Workload has the commands for containers with these devices; zero means DriverUnderTest.Workload.
	Workload Workload `json:"commands,omitzero"`
}

// ClassFor is the class for cases of these features.
func (s DriverUnderTest) ClassFor(features []DriverFeature) DriverClass {
	for _, f := range features {
		if class, ok := s.FeatureClasses[f]; ok {
			return class
		}
	}
	return s.DriverClass
}

// ConfigFor returns the configuration for claims of a case, or nil: the case's ID selects one of Configs or none.
func (s DriverUnderTest) ConfigFor(m Meta) json.RawMessage {
	if slices.ContainsFunc(m.Needs.DriverFeatures, func(f DriverFeature) bool { return s.FeatureClasses[f].Class != "" }) {
		return nil
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(m.ID)) // never returns an error
	if n := int(h.Sum32() % uint32(len(s.Configs)+1)); n > 0 {
		return s.Configs[n-1]
	}
	return nil
}

// WorkloadFor has the commands for cases of these features.
func (s DriverUnderTest) WorkloadFor(features []DriverFeature) Workload {
	if own := s.ClassFor(features).Workload; len(own.Present) > 0 {
		return own
	}
	return s.Workload
}

// Workload configures containers to show a driver's devices. Commands are program and arguments.
type Workload struct {
	// Image is their image; empty means the cases' own.
	Image string `json:"image,omitempty"`
	// Present succeeds in a container with a device, Absent in one without.
	Present []string `json:"present"`
	Absent  []string `json:"absent"`
	// Identify prints one line per device of the container; empty if impossible.
	Identify []string `json:"identify,omitempty"`
	// Pod is a template of the spec of all pods. Its only container is EachContainer.
	Pod map[string]any `json:"pod,omitempty"`
}

// EachContainer is the name of a container in a template that stands for all containers.
const EachContainer = "*"

// NamespaceMeta is the metadata of namespaces.
type NamespaceMeta struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// DefaultPrepare bounds the time from scheduling a pod until it runs, and DefaultRepublish the time for publishing,
// unless declared by the vendor.
const (
	DefaultPrepare   = 2 * time.Minute
	DefaultRepublish = 30 * time.Second
)

// DriverFeature is an optional capability of a driver.
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
	// DriverPodDevices: each container of a pod sees the devices of all claims of the pod, as with network interfaces.
	DriverPodDevices DriverFeature = "podDevices"
	// DriverOneContainer: only one container can use a claim.
	DriverOneContainer DriverFeature = "oneContainer"
)

// DriverFeatures returns all of them, in listing order.
func DriverFeatures() []DriverFeature {
	return []DriverFeature{
		DriverPartitionable, DriverConsumableCapacity, DriverTaints, DriverAdminAccess, DriverExtendedResource, DriverPrioritizedList,
		DriverDeviceStatus, DriverHealth, DriverBindingConditions, DriverRollingUpdate, DriverSharedClaim, DriverMetadata,
		DriverPodDevices, DriverOneContainer,
	}
}

// Limits reports whether the feature is a limit of the driver, which no case uses.
func (f DriverFeature) Limits() bool { return f == DriverPodDevices || f == DriverOneContainer }
