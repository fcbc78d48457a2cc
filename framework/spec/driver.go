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
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// GRPCVersion is a version of the kubelet's DRA plugin API.
type GRPCVersion string

// Plugin API versions of kubelets v1.34 and newer.
const (
	GRPCv1      GRPCVersion = "v1"
	GRPCv1beta1 GRPCVersion = "v1beta1"
)

// Profile is a device inventory: the devices published by a driver on each node.
type Profile struct {
	// Name is the profile's name in plans and reports.
	Name string `json:"name,omitempty"`
	// Pools are published by every node's driver instance.
	Pools []Pool `json:"pools,omitempty"`
	// Health: the driver reports device health to the kubelet (KEP-4680). It is fixed by the driver's initial profile.
	Health bool `json:"health,omitempty"`
	// Metadata: containers get device metadata files (KEP-5304). DeviceStatus: the driver writes prepared devices into
	// the status of claims (KEP-4817). Both are fixed by the driver's initial profile.
	Metadata     bool `json:"metadata,omitempty"`
	DeviceStatus bool `json:"deviceStatus,omitempty"`
}

// Pool is one resource pool of a driver instance.
type Pool struct {
	// Suffix makes the pool's name "<node>" or "<node>-<suffix>".
	Suffix         string                   `json:"suffix,omitempty"`
	Devices        []resourceapi.Device     `json:"devices"`
	SharedCounters []resourceapi.CounterSet `json:"sharedCounters,omitempty"`
	// Health is the health of devices that are not simply healthy, if health is reported.
	Health []DeviceHealth `json:"health,omitempty"`
}

// DeviceHealth is a device's health as reported to the kubelet (KEP-4680).
type DeviceHealth struct {
	Device string `json:"device"`
	// State is as in the status of pods; empty means healthy.
	State corev1.ResourceHealthStatus `json:"state,omitempty"`
	// Message says more.
	Message string `json:"message,omitempty"`
	// Timeout is the validity of a report, in whole seconds; zero means the kubelet's default.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Silent leaves the device out of the reports.
	Silent bool `json:"silent,omitempty"`
}

// Publishing is how an instance keeps its ResourceSlices published. A starting kubelet deletes those of its node.
type Publishing string

const (
	// PublishAtOnce publishes them again as soon as the kubelet has registered the driver.
	PublishAtOnce Publishing = ""
	// PublishByHelper uses PublishResources of k8s.io/dynamic-resource-allocation/kubeletplugin: its controller restores
	// deleted slices after 30 s (resourceslice.DefaultSyncDelay).
	PublishByHelper Publishing = "Helper"
)

// Publishings lists them all.
func Publishings() []Publishing { return []Publishing{PublishAtOnce, PublishByHelper} }

// DriverConfig describes one driver instance on one node.
type DriverConfig struct {
	// Name is the DRA driver name, unique per case.
	Name    string  `json:"name"`
	Profile Profile `json:"profile"`
	// GRPC lists the offered plugin API versions; empty means all.
	GRPC []GRPCVersion `json:"grpc,omitempty"`
	// Publishing is PublishAtOnce if it is empty.
	Publishing Publishing `json:"publishing,omitempty"`
	// Access is the driver's access to the API server; the zero value is its agent's. It requires publishing by the
	// helper.
	Access Access `json:"access,omitzero"`
	// OlderHealth: the driver serves only v1alpha1 of the health API, as drivers built before v1.
	OlderHealth bool `json:"olderHealth,omitempty"`
	// DeclinesHealth: the driver offers health and returns Unimplemented when called. Its profile has health then.
	DeclinesHealth bool `json:"declinesHealth,omitempty"`
	// Mutant is the driver's mutant; empty means none.
	Mutant MutantID `json:"mutant,omitempty"`
}

// Access is a driver's access to the API server.
type Access struct {
	// Token is its service account's token; empty means its agent's.
	Token string `json:"token,omitempty"`
	// Versions are the versions of resource.k8s.io visible to the driver, as "v1beta1"; none means all served ones.
	Versions []string `json:"versions,omitempty"`
}

// DriverChange changes a running driver instance; nil fields stay unchanged.
type DriverChange struct {
	// Profile replaces the published inventory.
	Profile *Profile `json:"profile,omitempty"`
	// Faults replaces all scripted faults; an empty list removes them.
	Faults *[]Fault `json:"faults,omitempty"`
	// Fabric replaces the fabric's conditions for the node's devices; an empty list, the initial state, makes it silent.
	Fabric *[]FabricCondition `json:"fabric,omitempty"`
	// DevicePlugin replaces the devices offered through the kubelet's device plugin API; without a resource it ends the
	// offer.
	DevicePlugin *DevicePlugin `json:"devicePlugin,omitempty"`
	// CSI registers (true) or removes (false) a CSI driver of the same name.
	CSI *bool `json:"csi,omitempty"`
	// GRPC replaces the offered plugin API versions from the next start of an instance on; an empty list means all.
	GRPC *[]GRPCVersion `json:"grpc,omitempty"`
	// Announce replaces the instance's registration data from its next start on.
	Announce *Announcement `json:"announce,omitempty"`
	// Serve shuts (false) the instance's service socket with all connections, but not its registration socket, or opens
	// it again (true).
	Serve *bool `json:"serve,omitempty"`
	// Restart restarts the instance, as if its process had been replaced; recorded calls are kept.
	Restart bool `json:"restart,omitempty"`
	// Upgrade starts a second instance beside the first and then stops the
	// first, as a rolling update does (KEP-4381, rolling updates).
	Upgrade bool `json:"upgrade,omitempty"`
	// LoseCDI removes the CDI files of all prepared claims behind the kubelet's back, as a reboot does.
	LoseCDI bool `json:"loseCDI,omitempty"`
	// Disconnect closes and removes the instance's sockets (true), so the kubelet unregisters it, but keeps its
	// ResourceSlices, CDI files and recorded calls, as when a driver is uninstalled; false connects it again.
	Disconnect *bool `json:"disconnect,omitempty"`
}

// Announcement overrides a driver's registration data; empty fields keep the true values.
type Announcement struct {
	// Type is the type of the plugin.
	Type string `json:"type,omitempty"`
	// Versions are the offered services, as "v1.DRAPlugin".
	Versions []string `json:"versions,omitempty"`
	// Fails are methods of the registration, GetInfo and NotifyRegistrationStatus; the driver fails their first call.
	Fails []Method `json:"fails,omitempty"`
}

// Method is a method called by the kubelet.
type Method string

// Methods with recorded calls and faults.
const (
	Prepare   Method = "NodePrepareResources"
	Unprepare Method = "NodeUnprepareResources"
	// GetInfo and NotifyRegistrationStatus are part of the registration, and not recorded.
	GetInfo                  Method = "GetInfo"
	NotifyRegistrationStatus Method = "NotifyRegistrationStatus"
)

// DriverStatus is the state of one driver instance.
type DriverStatus struct {
	// Registered is true once the kubelet has accepted the registration.
	Registered bool `json:"registered"`
	// RegistrationError is the kubelet's error for a rejected registration.
	RegistrationError string `json:"registrationError,omitempty"`
	// RegistrationFailed are the calls failed as configured by Announcement.
	RegistrationFailed []Method `json:"registrationFailed,omitempty"`
	// Problem is the current background error, such as a failure to publish the ResourceSlices.
	Problem string `json:"problem,omitempty"`
	// Prepared lists the currently prepared claims.
	Prepared []types.UID `json:"prepared,omitempty"`
	// Calls are the recorded calls, oldest first: the last 10,000, including pending ones.
	Calls []Call `json:"calls,omitempty"`
	// Connections counts connections to the plugin sockets, HealthAsked counts health watches.
	Connections int64 `json:"connections,omitempty"`
	HealthAsked int64 `json:"healthAsked,omitempty"`
	// Process is the current resource use of the driver's process, if measured by a proxy.
	Process *ProcessUse `json:"process,omitempty"`
	// AtOnce is the maximum number of concurrent calls.
	AtOnce int64 `json:"atOnce,omitempty"`
	// Conditions are the conditions set by the fabric, oldest first.
	Conditions []ConditionSet `json:"conditions,omitempty"`
}

// Call is one recorded call of the kubelet.
type Call struct {
	Method Method        `json:"method"`
	GRPC   GRPCVersion   `json:"grpc"`
	Start  time.Time     `json:"start"`
	Took   time.Duration `json:"took"`
	// InProgress is true for a pending call.
	InProgress bool        `json:"inProgress,omitempty"`
	Claims     []ClaimCall `json:"claims"`
	// Error is the gRPC status of a call that failed as a whole.
	Error string `json:"error,omitempty"`
	// Fault is the kind of the applied fault, if any.
	Fault FaultKind `json:"fault,omitempty"`
}

// ClaimCall is one claim of a recorded call with its result.
type ClaimCall struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
	// CDIDevices are the fully qualified CDI names in the answer.
	CDIDevices []string `json:"cdiDevices,omitempty"`
	// Error is the error for this claim.
	Error string `json:"error,omitempty"`
}
