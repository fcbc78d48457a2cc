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

// The API of classic DRA, where drivers allocate claims themselves.
const (
	ClassicGroup   = "classic.dra-conformance.github.io"
	ClassicVersion = "v1alpha1"
	// ClassicParameters is the group of the kinds of parameters that cases define.
	ClassicParameters = "parameters." + ClassicGroup
)

// ClassicProcess is a scheduler with classic DRA, or a driver's controller, as a case wants
// it.
type ClassicProcess struct {
	// Scheduler is the name by which pods choose the scheduler; empty for a driver.
	Scheduler string
	// Driver is the driver; of no meaning for a scheduler.
	Driver ClassicDriver
	// User is who the process is for the cluster.
	User string
	// Log is the name of the file for its log.
	Log string
}

// Validate returns all problems at once.
func (p ClassicProcess) Validate() error {
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

// ClassicDriver is a driver that allocates claims itself.
type ClassicDriver struct {
	// Name is that of ResourceClasses.
	Name string
	// Devices is how many there are: on each of Nodes or, with Network, in all, for all of
	// Nodes.
	Devices int
	Network bool
	Nodes   []string
	// Refuse are nodes that the driver calls unsuitable.
	Refuse []string
	// FailAllocate and FailDeallocate are how many calls fail before one works; -1 is all.
	FailAllocate, FailDeallocate int
	// Takes is how long allocating takes.
	Takes time.Duration
}

// Healthy is the driver as it does whatever it is asked for.
func (d ClassicDriver) Healthy() ClassicDriver {
	d.Refuse, d.FailAllocate, d.FailDeallocate, d.Takes = nil, 0, 0, 0
	return d
}

// ClassicForetold is what a driver says that pods would get.
type ClassicForetold struct {
	Pods []ForetoldPod `json:"pods"`
}

// PodScheduling is what a scheduler and drivers say to each other about a pod.
type PodScheduling struct {
	// Owner is the UID of the pod that owns it.
	Owner string
	// PotentialNodes and SelectedNode are the scheduler's.
	PotentialNodes []string
	SelectedNode   string
	// UnsuitableNodes are the drivers' answers, by the names of claims in the pod's spec; a
	// claim without an answer is missing.
	UnsuitableNodes map[string][]string
}

// ClassicClaim is a driver's record of a claim.
type ClassicClaim struct {
	Driver string
	// Mode is Immediate or WaitForFirstConsumer, Phase is empty, Allocated or Deallocating.
	Mode, Phase string
	// Node is the one that the scheduler has selected.
	Node string
	// Handle is what the driver finds the resource by.
	Handle string
	// UserLimit is how many pods may use the claim, -1 for any number.
	UserLimit int64
	// DeallocationRequested says that the scheduler wants the resource freed.
	DeallocationRequested bool
}
