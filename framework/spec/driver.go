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

// The plugin API versions that kubelets v1.34 and newer speak.
const (
	GRPCv1      GRPCVersion = "v1"
	GRPCv1beta1 GRPCVersion = "v1beta1"
)

// Profile is a device inventory: what a driver publishes on each node.
type Profile struct {
	// Name is the profile's name in plans and reports.
	Name string `json:"name,omitempty"`
	// Pools are published by every node's driver instance.
	Pools []Pool `json:"pools,omitempty"`
	// Health is whether the driver tells the kubelet how healthy its devices are
	// (KEP-4680). It is that of the profile with which the driver starts.
	Health bool `json:"health,omitempty"`
	// Metadata is whether containers find files that tell of their devices (KEP-5304), and
	// DeviceStatus whether the driver writes into the status of claims what it has prepared
	// (KEP-4817). They, too, are those of the profile with which the driver starts.
	Metadata     bool `json:"metadata,omitempty"`
	DeviceStatus bool `json:"deviceStatus,omitempty"`
}

// Pool is one resource pool of a driver instance.
type Pool struct {
	// Suffix makes the pool's name "<node>" or "<node>-<suffix>".
	Suffix         string                   `json:"suffix,omitempty"`
	Devices        []resourceapi.Device     `json:"devices"`
	SharedCounters []resourceapi.CounterSet `json:"sharedCounters,omitempty"`
	// Health is what is told of those devices that are not simply healthy, where health
	// is told.
	Health []DeviceHealth `json:"health,omitempty"`
}

// DeviceHealth is what a driver tells the kubelet of a device (KEP-4680).
type DeviceHealth struct {
	Device string `json:"device"`
	// State is as in the status of pods; empty means healthy.
	State corev1.ResourceHealthStatus `json:"state,omitempty"`
	// Message says more.
	Message string `json:"message,omitempty"`
	// Timeout is for how long a report holds, in whole seconds; zero means as long as the
	// kubelet thinks.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Silent leaves the device out of the reports.
	Silent bool `json:"silent,omitempty"`
}

// Publishing is how an instance keeps its ResourceSlices published. A kubelet that starts
// removes those of its node.
type Publishing string

const (
	// PublishAtOnce: they are there again as soon as the kubelet has registered the driver.
	PublishAtOnce Publishing = ""
	// PublishByHelper is what drivers do that call PublishResources of
	// k8s.io/dynamic-resource-allocation/kubeletplugin: its controller puts slices that
	// somebody else removed back 30 s later (resourceslice.DefaultSyncDelay).
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
	// Access is how the driver comes to the API server; its zero value is as its agent does.
	// It needs a driver that leaves publishing to the helper.
	Access Access `json:"access,omitzero"`
	// OlderHealth is whether the driver serves only v1alpha1 of the API for health, as those
	// do that were built before there was v1.
	OlderHealth bool `json:"olderHealth,omitempty"`
	// DeclinesHealth is whether the driver offers to tell of health, and says that it does
	// not when it is asked. Its profile tells of health then.
	DeclinesHealth bool `json:"declinesHealth,omitempty"`
	// Mutant is how the driver is broken on purpose; empty means not at all.
	Mutant MutantID `json:"mutant,omitempty"`
}

// Access is how a driver comes to the API server.
type Access struct {
	// Token is that of the service account as which it comes; empty means its agent's.
	Token string `json:"token,omitempty"`
	// Versions are those of resource.k8s.io that the API server seems to serve, as "v1beta1";
	// none means all that it serves.
	Versions []string `json:"versions,omitempty"`
}

// DriverChange changes a running driver instance; nil fields stay as they are.
type DriverChange struct {
	// Profile replaces the published inventory.
	Profile *Profile `json:"profile,omitempty"`
	// Faults replaces all scripted faults; an empty list removes them.
	Faults *[]Fault `json:"faults,omitempty"`
	// Fabric replaces what the fabric says of the node's devices; an empty list
	// makes it silent, which it also is in the beginning.
	Fabric *[]FabricCondition `json:"fabric,omitempty"`
	// DevicePlugin replaces what the instance offers through the kubelet's device
	// plugin API; one without a resource ends the offer.
	DevicePlugin *DevicePlugin `json:"devicePlugin,omitempty"`
	// CSI true has a CSI driver of the same name register with the kubelet, too; false has it
	// go.
	CSI *bool `json:"csi,omitempty"`
	// GRPC replaces the offered plugin API versions, from the next start of an
	// instance on; an empty list means all.
	GRPC *[]GRPCVersion `json:"grpc,omitempty"`
	// Announce replaces what the instance tells the kubelet of itself when it registers,
	// from its next start on.
	Announce *Announcement `json:"announce,omitempty"`
	// Serve false shuts the socket at which the kubelet calls the instance, with all
	// connections, and leaves that of its registration; true opens it again.
	Serve *bool `json:"serve,omitempty"`
	// Restart stops the instance and starts it again, as if its process had
	// been replaced; recorded calls are kept.
	Restart bool `json:"restart,omitempty"`
	// Upgrade starts a second instance beside the first and then stops the
	// first, as a rolling update does (KEP-4381, rolling updates).
	Upgrade bool `json:"upgrade,omitempty"`
	// LoseCDI removes the CDI files of all prepared claims behind the kubelet's back, as
	// a reboot does.
	LoseCDI bool `json:"loseCDI,omitempty"`
	// Disconnect true closes and removes the instance's sockets, so that the kubelet
	// forgets it, and leaves its ResourceSlices, CDI files and recorded calls, as
	// removing a driver does; false connects it again.
	Disconnect *bool `json:"disconnect,omitempty"`
}

// Announcement is what a driver tells the kubelet of itself when it registers; empty
// fields stay what is true.
type Announcement struct {
	// Type is the type of the plugin.
	Type string `json:"type,omitempty"`
	// Versions are the services that the driver offers, as "v1.DRAPlugin".
	Versions []string `json:"versions,omitempty"`
	// Fails are calls of the kubelet, GetInfo and NotifyRegistrationStatus, of which the
	// driver fails the first one.
	Fails []Method `json:"fails,omitempty"`
}

// Method is a call of the kubelet to a driver.
type Method string

// The calls that are recorded and can be made to fail.
const (
	Prepare   Method = "NodePrepareResources"
	Unprepare Method = "NodeUnprepareResources"
	// GetInfo and NotifyRegistrationStatus are of the registration, and not recorded.
	GetInfo                  Method = "GetInfo"
	NotifyRegistrationStatus Method = "NotifyRegistrationStatus"
)

// DriverStatus is the state of one driver instance.
type DriverStatus struct {
	// Registered is true once the kubelet has accepted the registration.
	Registered bool `json:"registered"`
	// RegistrationError is what the kubelet said when it refused.
	RegistrationError string `json:"registrationError,omitempty"`
	// RegistrationFailed are the calls that the instance has failed as it was made to announce.
	RegistrationFailed []Method `json:"registrationFailed,omitempty"`
	// Problem is what goes wrong in the background now, such as keeping the
	// ResourceSlices published.
	Problem string `json:"problem,omitempty"`
	// Prepared lists the claims that are prepared now.
	Prepared []types.UID `json:"prepared,omitempty"`
	// Calls are the recorded calls, oldest first: the last 10,000, with those
	// that are still going on.
	Calls []Call `json:"calls,omitempty"`
	// Connections is how often somebody has connected to the plugin sockets, HealthAsked how
	// often somebody has asked to watch health.
	Connections int64 `json:"connections,omitempty"`
	HealthAsked int64 `json:"healthAsked,omitempty"`
	// Process is what the driver's process uses now, of a proxy that measures it.
	Process *ProcessUse `json:"process,omitempty"`
	// AtOnce is the greatest number of calls that the driver has worked on at one time.
	AtOnce int64 `json:"atOnce,omitempty"`
	// Conditions are those that the fabric has set, oldest first.
	Conditions []ConditionSet `json:"conditions,omitempty"`
}

// Call is one recorded call of the kubelet.
type Call struct {
	Method Method        `json:"method"`
	GRPC   GRPCVersion   `json:"grpc"`
	Start  time.Time     `json:"start"`
	Took   time.Duration `json:"took"`
	// InProgress is true while the call has not been answered.
	InProgress bool        `json:"inProgress,omitempty"`
	Claims     []ClaimCall `json:"claims"`
	// Error is the gRPC status of a call that failed as a whole.
	Error string `json:"error,omitempty"`
	// Fault is the kind of the fault that was applied, if any.
	Fault FaultKind `json:"fault,omitempty"`
}

// ClaimCall is one claim of a recorded call and what was answered for it.
type ClaimCall struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
	// CDIDevices are the fully qualified CDI names that were answered.
	CDIDevices []string `json:"cdiDevices,omitempty"`
	// Error is the error that was answered for this claim.
	Error string `json:"error,omitempty"`
}
