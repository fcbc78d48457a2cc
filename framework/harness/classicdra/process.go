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

package classicdra

import (
	"errors"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// ProcessConfig configures a scheduler with classic DRA, or a driver's controller.
type ProcessConfig struct {
	// Scheduler is the scheduler name for pods; empty for a driver.
	Scheduler string
	// Driver is the driver; ignored for a scheduler.
	Driver DriverConfig
	// User is the process's identity in the cluster.
	User string
	// Log is the name of the log file.
	Log string
}

// Validate returns all problems at once.
func (p ProcessConfig) Validate() error {
	var errs []error
	if (p.Scheduler == "") == (p.Driver.Name == "") {
		errs = append(errs, errors.New("it must be a scheduler or a driver"))
	}
	if p.User == "" || p.Log == "" {
		errs = append(errs, errors.New("the user and the log must be given"))
	}
	if d := p.Driver; d.Name != "" && len(d.Nodes) == 0 {
		errs = append(errs, errors.New("the driver's nodes must be given"))
	}
	return errors.Join(errs...)
}

// DriverConfig configures a driver with an allocating controller.
type DriverConfig struct {
	// Name is the driver name in ResourceClasses.
	Name string
	// Devices is the number of devices on each of Nodes or, with Network, in total for all of Nodes.
	Devices int
	Network bool
	Nodes   []string
	// Refuse are nodes the driver reports as unsuitable.
	Refuse []string
	// FailAllocate and FailDeallocate are the number of failing calls before one works; -1 is all.
	FailAllocate, FailDeallocate int
	// Takes is how long allocating takes.
	Takes time.Duration
}

// Healthy is the driver without failures.
func (d DriverConfig) Healthy() DriverConfig {
	d.Refuse, d.FailAllocate, d.FailDeallocate, d.Takes = nil, 0, 0, 0
	return d
}

// Prediction is a driver's prediction for a pod.
type Prediction struct {
	Pods []spec.PredictedPod `json:"pods"`
}
