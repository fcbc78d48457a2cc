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

// FabricModel is the only device model of a FabricConfig.
const FabricModel = "gpu"

// FabricConfig is a device fabric with a controller attaching its devices to the cluster's nodes (KEP-5007), as
// configured by a case.
type FabricConfig struct {
	// Driver is the driver name of free devices' slices.
	Driver string
	// Devices is how many there are: gpu-0, gpu-1.
	Devices int
	// Attributes are string attributes of all of them.
	Attributes map[string]string
	// Bind binds pods with the device of the fabric's pool; otherwise they are rescheduled to the device then local to
	// their node.
	Bind bool
	// DetachAfter is the idle time before a device is detached.
	DetachAfter time.Duration
	// DetachTakes is the fabric's time to detach a device.
	DetachTakes time.Duration
	// User is the controller's identity in the cluster, as "system:serviceaccount:namespace:name".
	User string
	// Drivers are the nodes with a driver publishing attached devices, polled once per Rescan. DriverUser is the
	// drivers' identity in the cluster. With Bind there may be none.
	Drivers    []string
	Rescan     time.Duration
	DriverUser string
}

// Validate returns all problems at once.
func (f FabricConfig) Validate() error {
	var errs []error
	if f.Driver == "" || f.User == "" {
		errs = append(errs, errors.New("the driver's name and the user must be given"))
	}
	if f.Devices < 0 || f.DetachAfter <= 0 || f.DetachTakes < 0 {
		errs = append(errs, errors.New("the number of devices must not be negative, and the detach time must be positive"))
	}
	if len(f.Drivers) > 0 && (f.Bind || f.Rescan <= 0 || f.DriverUser == "") {
		errs = append(errs, errors.New("drivers need a user and a polling interval, and cannot publish a fabric with bound slots"))
	}
	return errors.Join(errs...)
}

// AttachRule determines the result of attach requests. The first rule applies.
type AttachRule struct {
	// Times is the number of requests the rule applies to; 0 is unlimited.
	Times int
	// Takes is how long it takes.
	Takes time.Duration
	// Fail is its error after that time.
	Fail string
}

// FabricChange changes a fabric; nil or empty fields stay unchanged.
type FabricChange struct {
	// Attach replaces the rules for requests to attach.
	Attach *[]AttachRule
	// Kill makes the device with this ID die, wherever it is.
	Kill string
	// Detach detaches this cluster's device with this ID behind the controller's back.
	Detach string
	// Token gives the controller a valid or an invalid fabric token.
	Token *bool
}

// FabricDevice is a device as the fabric knows it.
type FabricDevice struct {
	ID string
	// Phase is Free, Attaching, Attached, Detaching or Dead.
	Phase string
	// Node has the device attached, or will.
	Node string
	// Key is the key of the attach request.
	Key string
	// Elsewhere: another cluster has it.
	Elsewhere bool
}

// FabricPart is a part of a FabricConfig.
type FabricPart string

// The parts.
const (
	FabricManager    FabricPart = "manager"
	FabricController FabricPart = "controller"
)
