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
	"errors"
	"time"
)

// FabricModel is the only model of the devices of a ComposedFabric.
const FabricModel = "gpu"

// ComposedFabric is a fabric of devices with a controller that attaches them to the nodes
// of the cluster (KEP-5007), as a case wants it.
type ComposedFabric struct {
	// Driver is the name under which free devices are published.
	Driver string
	// Devices is how many there are: gpu-0, gpu-1.
	Devices int
	// Attributes are strings that all of them have.
	Attributes map[string]string
	// Bind has pods bound with the device of the fabric's pool; otherwise they are
	// scheduled anew to the device that is local to their node then.
	Bind bool
	// DetachAfter is for how long devices are idle that are detached.
	DetachAfter time.Duration
	// DetachTakes is how long the fabric needs to detach one.
	DetachTakes time.Duration
	// User is who the controller is for the cluster, as
	// "system:serviceaccount:namespace:name".
	User string
	// Drivers are the nodes on which a driver publishes what is attached to them, which it
	// looks for once a Rescan. DriverUser is who they are for the cluster. With Bind there
	// may be none.
	Drivers    []string
	Rescan     time.Duration
	DriverUser string
}

// Validate returns all problems at once.
func (f ComposedFabric) Validate() error {
	var errs []error
	if f.Driver == "" || f.User == "" {
		errs = append(errs, errors.New("the driver's name and the user must be given"))
	}
	if f.Devices < 0 || f.DetachAfter <= 0 || f.DetachTakes < 0 {
		errs = append(errs, errors.New("there cannot be less than no devices, the time until they are detached must be given, and that takes no negative time"))
	}
	if len(f.Drivers) > 0 && (f.Bind || f.Rescan <= 0 || f.DriverUser == "") {
		errs = append(errs, errors.New("drivers need a user and a time between two looks, and publish nothing of a fabric whose slots pods are bound with"))
	}
	return errors.Join(errs...)
}

// AttachRule says what becomes of requests to attach a device. The first rule holds.
type AttachRule struct {
	// Times is for how many requests the rule holds; 0 is for all.
	Times int
	// Takes is how long it takes.
	Takes time.Duration
	// Fail is what it fails with, after that time.
	Fail string
}

// FabricChange changes a fabric; what is nil or empty stays as it is.
type FabricChange struct {
	// Attach replaces the rules for requests to attach.
	Attach *[]AttachRule
	// Kill lets the device with this ID die, wherever it is.
	Kill string
	// Detach detaches the device with this ID, which this cluster has, behind the
	// controller's back.
	Detach string
	// Token gives the controller a token that the fabric knows, or one that it does not.
	Token *bool
}

// FabricDevice is a device as the fabric knows it.
type FabricDevice struct {
	ID string
	// Phase is Free, Attaching, Attached, Detaching or Dead.
	Phase string
	// Node has the device attached, or will.
	Node string
	// Key is that of the request for which the device was attached.
	Key string
	// Elsewhere says that another cluster has it.
	Elsewhere bool
}

// FabricPart is what a ComposedFabric consists of.
type FabricPart string

// The parts.
const (
	FabricManager    FabricPart = "manager"
	FabricController FabricPart = "controller"
)
