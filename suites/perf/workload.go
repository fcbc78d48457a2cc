package perf

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// FileVersion is the apiVersion of files with workloads and thresholds.
const FileVersion = "dra-conformance.github.io/v1alpha1"

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
)

// Workload is pods that are created on a control plane, and what they ask for.
type Workload struct {
	Name string `json:"name"`
	// Nodes is how many nodes there are; each has a ResourceSlice with Devices devices.
	Nodes   int `json:"nodes"`
	Devices int `json:"devices"`
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
	// Device is what all devices have but for their names, which are device-0 and so on.
	Device resourceapi.Device `json:"device,omitzero"`
}

// The names that claims of workloads can use.
const (
	ClassName  = "perf"
	DriverName = "perf.dra-conformance.github.io"
)

type workloadFile struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Workloads  []Workload `json:"workloads"`
}

//go:embed workloads.yaml
var defaultWorkloads []byte

// DefaultWorkloads are those that are measured when none are given.
func DefaultWorkloads() ([]Workload, error) { return DecodeWorkloads(defaultWorkloads) }

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
	between := func(field string, value, low, high int) {
		if value < low || value > high {
			errs = append(errs, fmt.Errorf("%s: %d: must be between %d and %d", field, value, low, high))
		}
	}
	between("nodes", w.Nodes, 1, 10000)
	between("pods", w.Pods, 1, 100000)
	between("podsPerSecond", w.PodsPerSecond, 0, 10000)
	switch w.Claims {
	case NoClaims:
	case TemplateClaims, SharedClaims:
		between("devices", w.Devices, 1, resourceapi.ResourceSliceMaxDevices)
	default:
		errs = append(errs, fmt.Errorf("claims: %q: must be %s, %s or %s", w.Claims, NoClaims, TemplateClaims, SharedClaims))
	}
	if w.Claims == SharedClaims {
		between("podsPerClaim", w.PodsPerClaim, 1, resourceapi.ResourceClaimReservedForMaxSize)
	} else if w.PodsPerClaim != 0 {
		errs = append(errs, fmt.Errorf("podsPerClaim: says nothing with claims: %s", w.Claims))
	}
	if w.Device.Name != "" {
		errs = append(errs, errors.New("device.name: leave it out, devices are numbered"))
	}
	return errors.Join(errs...)
}
