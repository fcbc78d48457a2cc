package perf

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// Threshold is what a metric of a workload may be.
type Threshold struct {
	Workload string `json:"workload"`
	Metric   Metric `json:"metric"`
	// AtMost and AtLeast bound the candidate's value divided by the reference's of the
	// same block. One of them is given.
	AtMost  float64 `json:"atMost,omitempty"`
	AtLeast float64 `json:"atLeast,omitempty"`
	// Reason says why the bound is not 1.
	Reason string `json:"reason,omitempty"`
}

// String is the threshold without its workload, as "scheduler-cpu-sec/pod at most 1.1".
func (t Threshold) String() string {
	if t.AtLeast != 0 {
		return fmt.Sprintf("%s at least %g", t.Metric, t.AtLeast)
	}
	return fmt.Sprintf("%s at most %g", t.Metric, t.AtMost)
}

type thresholdFile struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Thresholds []Threshold `json:"thresholds"`
}

//go:embed thresholds.yaml
var defaultThresholds []byte

// DefaultThresholds are those of DefaultWorkloads.
func DefaultThresholds() ([]Threshold, error) { return DecodeThresholds(defaultThresholds) }

// DecodeThresholds reads a file with thresholds. Fields that are not known are errors.
func DecodeThresholds(data []byte) ([]Threshold, error) {
	var file thresholdFile
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return nil, fmt.Errorf("decode thresholds: %w", err)
	}
	errs := []error{checkHead(file.APIVersion, file.Kind, "PerformanceThresholds")}
	for i, t := range file.Thresholds {
		if !slices.Contains(Metrics(), t.Metric) {
			errs = append(errs, fmt.Errorf("thresholds[%d]: metric %q is unknown, known are %v", i, t.Metric, Metrics()))
		}
		if (t.AtMost > 0) == (t.AtLeast > 0) || t.AtMost < 0 || t.AtLeast < 0 {
			errs = append(errs, fmt.Errorf("thresholds[%d]: give atMost or atLeast, and more than 0", i))
		}
	}
	return file.Thresholds, errors.Join(errs...)
}

// CheckThresholds reports thresholds of workloads that are not there.
func CheckThresholds(thresholds []Threshold, workloads []Workload) error {
	var errs []error
	for i, t := range thresholds {
		if !slices.ContainsFunc(workloads, func(w Workload) bool { return w.Name == t.Workload }) {
			errs = append(errs, fmt.Errorf("thresholds[%d]: there is no workload %q", i, t.Workload))
		}
	}
	return errors.Join(errs...)
}
