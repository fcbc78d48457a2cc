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

package perf

import (
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// FileVersion is the apiVersion of files with workloads and thresholds.
const FileVersion = "dra-conformance.github.io/v1alpha1"

// podsPerNode is how many pods a simulated node takes, as kubelets do by default.
const podsPerNode = 110

// Claims says how pods come to their claims.
type Claims string

// How pods come to their claims.
const (
	// NoClaims: pods have none, which is what the others are compared with by eye.
	NoClaims Claims = "none"
	// TemplateClaims: each pod has one of its own, made from a template.
	TemplateClaims Claims = "template"
	// SharedClaims: PodsPerClaim pods use one that is there before them.
	SharedClaims Claims = "shared"
	// ExtendedClaims: pods ask for one of ResourceName, the extended resource of the class,
	// and the scheduler makes their claims (KEP-5004).
	ExtendedClaims Claims = "extended"
)

// Dimension is what a workload grows in.
type Dimension string

// The dimensions.
const (
	Nodes   Dimension = "nodes"
	Running Dimension = "running"
)

// Growing says at which sizes a workload is measured.
type Growing struct {
	// In is the field of the workload that Sizes are put into.
	In    Dimension `json:"in"`
	Sizes []int     `json:"sizes"`
}

// Workload is pods that are created on a control plane, and what they ask for.
type Workload struct {
	Name string `json:"name"`
	// Scenario measures the workload in place of rounds of pods. It takes Nodes, Devices and Pods
	// only.
	Scenario string `json:"scenario,omitempty"`
	// Nodes is how many nodes there are; each has a ResourceSlice with Devices devices.
	Nodes   int `json:"nodes"`
	Devices int `json:"devices"`
	// Grows measures the workload at several sizes, each on control planes of its own.
	Grows *Growing `json:"grows,omitempty"`
	// Running is how many pods, with claims as those of the rounds, run all the time.
	Running int `json:"running,omitempty"`
	// Restart is killed and started again at the beginning of each round.
	Restart Component `json:"restart,omitempty"`
	// Pods are created in each round, and removed after it.
	Pods int `json:"pods"`
	// PodsPerSecond is how fast; 0 is as fast as the API server takes them.
	PodsPerSecond int    `json:"podsPerSecond,omitempty"`
	Claims        Claims `json:"claims"`
	// PodsPerClaim is for SharedClaims.
	PodsPerClaim int `json:"podsPerClaim,omitempty"`
	// Claim is the spec of the claims; its class is ClassName, and its driver DriverName.
	// Left out it is one request for one device.
	Claim *resourceapi.ResourceClaimSpec `json:"claim,omitempty"`
	// Mix has claims differ: each is of one of these specs, drawn with Seed. It is given in
	// place of Claim.
	Mix  []resourceapi.ResourceClaimSpec `json:"mix,omitempty"`
	Seed uint64                          `json:"seed,omitempty"`
	// Device is what all devices have but for their names, which are device-0 and so on.
	Device resourceapi.Device `json:"device,omitzero"`
	// SharedCounters are those of each node, which Device consumes (KEP-4815).
	SharedCounters []resourceapi.CounterSet `json:"sharedCounters,omitempty"`
	// BindAfter is how long after their allocation devices meet Device's binding conditions
	// (KEP-5007).
	BindAfter metav1.Duration `json:"bindAfter,omitzero"`
	// Late has devices published only when all pods of a round wait for them. What is
	// measured of pods by the clock is from then on.
	Late bool `json:"late,omitempty"`
	// Changes are made while the pods of a round are scheduled.
	Changes Changes `json:"changes,omitzero"`
}

// Changes are those of a second.
type Changes struct {
	// Slices are published again, in a new generation of their pools.
	Slices int `json:"slices,omitempty"`
	// Nodes without devices come or go.
	Nodes int `json:"nodes,omitempty"`
}

// The names that claims of workloads can use.
const (
	ClassName    = "perf"
	DriverName   = "perf.dra-conformance.github.io"
	ResourceName = DriverName + "/device"
)

// sizes are those that the workload is measured at; one that does not grow has size 0.
func (w Workload) sizes() []int {
	if w.Grows == nil {
		return []int{0}
	}
	return w.Grows.Sizes
}

// at is the workload at one of its sizes.
func (w Workload) at(size int) Workload {
	if w.Grows == nil {
		return w
	}
	switch w.Grows.In {
	case Nodes:
		w.Nodes = size
	case Running:
		w.Running = size
	}
	w.Grows = nil
	return w
}

type workloadFile struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Workloads  []Workload `json:"workloads"`
}

//go:embed workloads.yaml
var defaultWorkloads []byte

//go:embed full/workloads.yaml
var fullWorkloads []byte

// DefaultWorkloads are those that are measured when none are given; full adds those that
// grow, and more kinds of claims.
func DefaultWorkloads(full bool) ([]Workload, error) {
	workloads, err := DecodeWorkloads(defaultWorkloads)
	if !full || err != nil {
		return workloads, err
	}
	more, err := DecodeWorkloads(fullWorkloads)
	return append(workloads, more...), err
}

// DecodeWorkloads reads a file with workloads. Fields that are not known are errors.
func DecodeWorkloads(data []byte) ([]Workload, error) {
	var file workloadFile
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return nil, fmt.Errorf("decode workloads: %w", err)
	}
	errs := []error{checkHead(file.APIVersion, file.Kind, "PerformanceWorkloads")}
	if len(file.Workloads) == 0 {
		errs = append(errs, errors.New("workloads: there must be one"))
	}
	var names []string
	for i, w := range file.Workloads {
		if err := w.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("workloads[%d] %q: %w", i, w.Name, err))
		}
		if slices.Contains(names, w.Name) {
			errs = append(errs, fmt.Errorf("workloads[%d]: there is another one named %q", i, w.Name))
		}
		names = append(names, w.Name)
	}
	return file.Workloads, errors.Join(errs...)
}

func checkHead(version, kind, want string) error {
	if version != FileVersion || kind != want {
		return fmt.Errorf("apiVersion %q and kind %q: must be %s and %s", version, kind, FileVersion, want)
	}
	return nil
}

// Validate returns all problems at once.
func (w Workload) Validate() error {
	var errs []error
	for _, msg := range validation.IsDNS1123Label(w.Name) {
		errs = append(errs, fmt.Errorf("name: %s", msg))
	}
	if w.Scenario != "" {
		return errors.Join(append(errs, w.validateScenario())...)
	}
	if w.Grows != nil {
		errs = append(errs, w.Grows.validate())
		for _, size := range w.Grows.Sizes {
			if err := w.at(size).validateSize(); err != nil {
				errs = append(errs, fmt.Errorf("at size %d: %w", size, err))
			}
		}
	} else {
		errs = append(errs, w.validateSize())
	}
	errs = append(errs,
		between("pods", w.Pods, 1, 100000),
		between("podsPerSecond", w.PodsPerSecond, 0, 10000))
	switch w.Claims {
	case NoClaims:
	case TemplateClaims, SharedClaims, ExtendedClaims:
		errs = append(errs, between("devices", w.Devices, 1, resourceapi.ResourceSliceMaxDevices))
	default:
		errs = append(errs, fmt.Errorf("claims: %q: must be %s, %s, %s or %s", w.Claims, NoClaims, TemplateClaims, SharedClaims, ExtendedClaims))
	}
	if w.Claims == SharedClaims {
		errs = append(errs, between("podsPerClaim", w.PodsPerClaim, 1, resourceapi.ResourceClaimReservedForMaxSize))
	} else if w.PodsPerClaim != 0 {
		errs = append(errs, fmt.Errorf("podsPerClaim: says nothing with claims: %s", w.Claims))
	}
	switch w.Restart {
	case NoComponent, SchedulerComponent, ControllersComponent:
	default:
		errs = append(errs, fmt.Errorf("restart: %q: must be %s or %s", w.Restart, SchedulerComponent, ControllersComponent))
	}
	if w.Restart != NoComponent && w.Claims == SharedClaims {
		errs = append(errs, fmt.Errorf("restart: says nothing with claims: %s", w.Claims))
	}
	return errors.Join(append(errs, w.validateDevices(), w.validateRounds())...)
}

// validateScenario reports what is wrong with a workload that a scenario measures.
func (w Workload) validateScenario() error {
	only := Workload{Name: w.Name, Scenario: w.Scenario, Nodes: w.Nodes, Devices: w.Devices, Pods: w.Pods}
	errs := []error{between("nodes", w.Nodes, 1, 10000), between("devices", w.Devices, 0, 10000), between("pods", w.Pods, 1, 100000)}
	if !reflect.DeepEqual(w, only) {
		errs = append(errs, fmt.Errorf("scenario: %s takes nodes, devices and pods only", w.Scenario))
	}
	return errors.Join(errs...)
}

// validateDevices reports what is wrong with what claims want and what there is.
func (w Workload) validateDevices() error {
	var errs []error
	ofClaims := w.Claims == TemplateClaims || w.Claims == SharedClaims
	if w.Claim != nil && !ofClaims {
		errs = append(errs, fmt.Errorf("claim: says nothing with claims: %s", w.Claims))
	}
	if len(w.Mix) > 0 && (!ofClaims || w.Claim != nil) {
		errs = append(errs, fmt.Errorf("mix: must be with claims: %s or %s, and without claim", TemplateClaims, SharedClaims))
	}
	if w.Seed != 0 && len(w.Mix) == 0 {
		errs = append(errs, errors.New("seed: says nothing without mix"))
	}
	if w.Device.Name != "" {
		errs = append(errs, errors.New("device.name: leave it out, devices are numbered"))
	}
	if (len(w.SharedCounters) > 0) != (len(w.Device.ConsumesCounters) > 0) {
		errs = append(errs, errors.New("sharedCounters: must be with device.consumesCounters, and the other way round"))
	}
	if (w.BindAfter.Duration > 0) != (len(w.Device.BindingConditions) > 0) || w.BindAfter.Duration < 0 {
		errs = append(errs, errors.New("bindAfter: must be with device.bindingConditions, which nobody else meets, and the other way round"))
	}
	if w.BindAfter.Duration > 0 && (w.Claims != TemplateClaims || w.Running > 0 || w.Restart != NoComponent || w.Grows != nil) {
		errs = append(errs, fmt.Errorf("bindAfter: must be with claims: %s, and without running, restart and grows", TemplateClaims))
	}
	return errors.Join(errs...)
}

// validateRounds reports what is wrong with what happens in a round.
func (w Workload) validateRounds() error {
	errs := []error{between("changes.slices", w.Changes.Slices, 0, 1000), between("changes.nodes", w.Changes.Nodes, 0, 1000)}
	if w.Late && (w.Claims == NoClaims || w.Running > 0 || w.Restart != NoComponent || w.Grows != nil || w.Changes.Slices > 0) {
		errs = append(errs, errors.New("late: must be with claims, and without running, restart, grows and changes.slices"))
	}
	if w.Changes.Slices > 0 && w.Claims == NoClaims {
		errs = append(errs, fmt.Errorf("changes.slices: says nothing with claims: %s", w.Claims))
	}
	return errors.Join(errs...)
}

// validateSize reports what is wrong with how large a workload is.
func (w Workload) validateSize() error {
	errs := []error{between("nodes", w.Nodes, 1, 10000), between("running", w.Running, 0, 100000)}
	if room := w.Nodes * podsPerNode; w.Running+w.Pods > room {
		errs = append(errs, fmt.Errorf("running: %d and the %d of a round do not fit on %d nodes with room for %d each", w.Running, w.Pods, w.Nodes, podsPerNode))
	}
	if w.Running > 0 && w.Claims == SharedClaims {
		errs = append(errs, fmt.Errorf("running: says nothing with claims: %s", w.Claims))
	}
	return errors.Join(errs...)
}

func (g Growing) validate() error {
	var errs []error
	if g.In != Nodes && g.In != Running {
		errs = append(errs, fmt.Errorf("grows.in: %q: must be %s or %s", g.In, Nodes, Running))
	}
	if len(g.Sizes) < 2 || g.Sizes[0] < 1 || !slices.IsSorted(g.Sizes) || len(slices.Compact(slices.Clone(g.Sizes))) != len(g.Sizes) {
		errs = append(errs, fmt.Errorf("grows.sizes: %v: must be two or more, from small to large, of 1 or more", g.Sizes))
	}
	return errors.Join(errs...)
}

func between(field string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("%s: %d: must be between %d and %d", field, value, low, high)
	}
	return nil
}
