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

// podsPerNode is the pod capacity of a simulated node, the kubelet's default.
const podsPerNode = 110

// Claims is the source of pods' claims.
type Claims string

// The sources of claims.
const (
	// NoClaims means pods without claims, as a baseline.
	NoClaims Claims = "none"
	// TemplateClaims means a claim per pod, created from a template.
	TemplateClaims Claims = "template"
	// SharedClaims means an existing claim per PodsPerClaim pods.
	SharedClaims Claims = "shared"
	// ExtendedClaims means that pods request one ResourceName, the class's extended resource, and the
	// scheduler creates their claims (KEP-5004).
	ExtendedClaims Claims = "extended"
)

// Dimension is the growing dimension of a workload.
type Dimension string

// The dimensions.
const (
	Nodes   Dimension = "nodes"
	Running Dimension = "running"
)

// Growing defines the sizes of a workload.
type Growing struct {
	// In is the field of the workload set to Sizes.
	In    Dimension `json:"in"`
	Sizes []int     `json:"sizes"`
}

// Workload describes pods created on a control plane, and their requests.
type Workload struct {
	Name string `json:"name"`
	// Scenario measures the workload in place of rounds of pods. It uses only Nodes, Devices and Pods.
	Scenario string `json:"scenario,omitempty"`
	// Nodes is the number of nodes, each with a ResourceSlice of Devices devices.
	Nodes   int `json:"nodes"`
	Devices int `json:"devices"`
	// Grows measures the workload at several sizes, each on its own control planes.
	Grows *Growing `json:"grows,omitempty"`
	// Running is the number of long-running pods, with claims like those of the rounds.
	Running int `json:"running,omitempty"`
	// Restart is killed and restarted at the beginning of each round.
	Restart Component `json:"restart,omitempty"`
	// Pods is the number of pods created and removed in each round.
	Pods int `json:"pods"`
	// PodsPerSecond is the creation rate; 0 is unlimited.
	PodsPerSecond int    `json:"podsPerSecond,omitempty"`
	Claims        Claims `json:"claims"`
	// PodsPerClaim is for SharedClaims.
	PodsPerClaim int `json:"podsPerClaim,omitempty"`
	// Claim is the spec of claims with class ClassName and driver DriverName. The default is one request
	// for one device.
	Claim *resourceapi.ResourceClaimSpec `json:"claim,omitempty"`
	// Mix varies claims: each has one of these specs, drawn with Seed. It replaces Claim.
	Mix  []resourceapi.ResourceClaimSpec `json:"mix,omitempty"`
	Seed uint64                          `json:"seed,omitempty"`
	// Device is the template of all devices, named device-0 and so on.
	Device resourceapi.Device `json:"device,omitzero"`
	// SharedCounters are the counters of each node consumed by Device (KEP-4815).
	SharedCounters []resourceapi.CounterSet `json:"sharedCounters,omitempty"`
	// BindAfter is the delay from allocation until devices meet Device's binding conditions (KEP-5007).
	BindAfter metav1.Duration `json:"bindAfter,omitzero"`
	// Late publishes devices after all pods of a round are waiting for them. Time-based metrics start
	// there.
	Late bool `json:"late,omitempty"`
	// Changes are made while the pods of a round are scheduled.
	Changes Changes `json:"changes,omitzero"`
}

// Changes are the changes per second.
type Changes struct {
	// Slices is the number of slices republished with a new pool generation.
	Slices int `json:"slices,omitempty"`
	// Nodes is the number of nodes without devices added or removed.
	Nodes int `json:"nodes,omitempty"`
}

// Names for use in claims of workloads.
const (
	ClassName    = "perf"
	DriverName   = "perf.dra-conformance.github.io"
	ResourceName = DriverName + "/device"
)

// sizes returns the workload's sizes; 0 without growth.
func (w Workload) sizes() []int {
	if w.Grows == nil {
		return []int{0}
	}
	return w.Grows.Sizes
}

// at returns the workload at one of its sizes.
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

// DefaultWorkloads returns the built-in workloads; full adds growing ones and more kinds of claims.
func DefaultWorkloads(full bool) ([]Workload, error) {
	workloads, err := DecodeWorkloads(defaultWorkloads)
	if !full || err != nil {
		return workloads, err
	}
	more, err := DecodeWorkloads(fullWorkloads)
	return append(workloads, more...), err
}

// DecodeWorkloads decodes a workload file. Unknown fields are errors.
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

// validateScenario validates a workload measured by a scenario.
func (w Workload) validateScenario() error {
	only := Workload{Name: w.Name, Scenario: w.Scenario, Nodes: w.Nodes, Devices: w.Devices, Pods: w.Pods}
	errs := []error{between("nodes", w.Nodes, 1, 10000), between("devices", w.Devices, 0, 10000), between("pods", w.Pods, 1, 100000)}
	if !reflect.DeepEqual(w, only) {
		errs = append(errs, fmt.Errorf("scenario: %s takes nodes, devices and pods only", w.Scenario))
	}
	return errors.Join(errs...)
}

// validateDevices compares claims with the available devices.
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

// validateRounds validates the actions of a round.
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

// validateSize validates the size of a workload.
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
