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
	"slices"

	"sigs.k8s.io/yaml"
)

// Kind is the kind of value bounded by a threshold.
type Kind string

// The kinds of thresholds.
const (
	// Ratio is the candidate's value divided by the reference's of the same block. It is independent of
	// the machine, and the default.
	Ratio Kind = "ratio"
	// Growth is the exponent of the candidate's growth over the sizes of a workload: 0 is constant, 1 is
	// linear.
	Growth Kind = "growth"
	// Absolute is the candidate's value, for measurements on a fixed machine.
	Absolute Kind = "absolute"
	// Limit is each single value of either side, for invariants. It may be 0.
	Limit Kind = "limit"
)

// Threshold bounds a metric of a workload.
type Threshold struct {
	Workload string `json:"workload"`
	// Size is the size of a workload with Grows, except for Growth.
	Size   int    `json:"size,omitempty"`
	Kind   Kind   `json:"kind,omitempty"`
	Metric Metric `json:"metric"`
	// Versus makes the candidate's value of this workload, at the same size, the denominator of a ratio.
	Versus string `json:"versus,omitempty"`
	// AtMost and AtLeast are the bounds, exactly one of them; AtMost for Growth.
	AtMost  float64 `json:"atMost,omitempty"`
	AtLeast float64 `json:"atLeast,omitempty"`
	// Reason explains a bound other than 1.
	Reason string `json:"reason,omitempty"`
}

// bounds reports whether two thresholds bound the same value of the same side, ignoring the bounds.
func (t Threshold) bounds(other Threshold) bool {
	return t.Workload == other.Workload && t.Size == other.Size && t.Metric == other.Metric && t.Versus == other.Versus &&
		(t.Kind == other.Kind || t.Relative() && other.Relative()) && (t.AtLeast != 0) == (other.AtLeast != 0)
}

// String returns the threshold without its workload, such as "scheduler-cpu-sec/pod at most 1.1".
func (t Threshold) String() string {
	what := string(t.Metric)
	switch {
	case t.Kind == Growth:
		what = "exponent of " + what
	case t.Kind == Absolute:
		what = "value of " + what
	case t.Kind == Limit:
		what = "each " + what
	case t.Versus != "":
		what += " versus " + t.Versus
	}
	if t.AtLeast != 0 {
		return fmt.Sprintf("%s at least %g", what, t.AtLeast)
	}
	return fmt.Sprintf("%s at most %g", what, t.AtMost)
}

// NameAt names the workload of a threshold or of a round, such as "template-claims/500".
func NameAt(workload string, size int) string {
	if size == 0 {
		return workload
	}
	return fmt.Sprintf("%s/%d", workload, size)
}

type thresholdFile struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Thresholds []Threshold `json:"thresholds"`
}

//go:embed thresholds.yaml
var defaultThresholds []byte

//go:embed full/thresholds.yaml
var fullThresholds []byte

// DefaultThresholds returns the thresholds of DefaultWorkloads.
func DefaultThresholds(full bool) ([]Threshold, error) {
	thresholds, err := DecodeThresholds(defaultThresholds)
	if !full || err != nil {
		return thresholds, err
	}
	more, err := DecodeThresholds(fullThresholds)
	return append(thresholds, more...), err
}

// DecodeThresholds decodes a threshold file. Unknown fields are errors.
func DecodeThresholds(data []byte) ([]Threshold, error) {
	var file thresholdFile
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return nil, fmt.Errorf("decode thresholds: %w", err)
	}
	errs := []error{checkHead(file.APIVersion, file.Kind, "PerformanceThresholds")}
	for i, t := range file.Thresholds {
		if err := t.validate(); err != nil {
			errs = append(errs, fmt.Errorf("thresholds[%d]: %w", i, err))
		}
	}
	return file.Thresholds, errors.Join(errs...)
}

func (t Threshold) validate() error {
	var errs []error
	if !slices.Contains(Metrics(), t.Metric) {
		errs = append(errs, fmt.Errorf("metric %q is unknown, known are %v", t.Metric, Metrics()))
	}
	if zero := t.Kind == Limit && t.AtMost == 0 && t.AtLeast == 0; !zero && (t.AtMost > 0) == (t.AtLeast > 0) || t.AtMost < 0 || t.AtLeast < 0 {
		errs = append(errs, errors.New("give atMost or atLeast, and more than 0"))
	}
	switch t.Kind {
	case "", Ratio:
	case Growth:
		if t.AtLeast != 0 || t.Size != 0 {
			errs = append(errs, errors.New("growth is of all sizes together, and has an atMost"))
		}
	case Absolute, Limit:
	default:
		errs = append(errs, fmt.Errorf("kind %q is unknown, known are %s, %s, %s and %s", t.Kind, Ratio, Growth, Absolute, Limit))
	}
	if t.Versus != "" && t.Kind != "" && t.Kind != Ratio {
		errs = append(errs, fmt.Errorf("versus says nothing with kind %s", t.Kind))
	}
	return errors.Join(errs...)
}

// CheckThresholds reports thresholds of missing workloads and sizes.
func CheckThresholds(thresholds []Threshold, workloads []Workload) error {
	var errs []error
	for i, t := range thresholds {
		for _, name := range []string{t.Workload, t.Versus} {
			if name == "" && t.Workload != "" {
				continue
			}
			if err := checkWorkload(t, name, workloads); err != nil {
				errs = append(errs, fmt.Errorf("thresholds[%d]: %w", i, err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkWorkload reports requirements of a threshold not met by its workload.
func checkWorkload(t Threshold, name string, workloads []Workload) error {
	at := slices.IndexFunc(workloads, func(w Workload) bool { return w.Name == name })
	if at < 0 {
		return fmt.Errorf("there is no workload %q", name)
	}
	sizes := workloads[at].sizes()
	switch {
	case t.Kind == Growth && len(sizes) < minSizes:
		return fmt.Errorf("workload %q does not grow over %d sizes or more", name, minSizes)
	case t.Kind != Growth && !slices.Contains(sizes, t.Size):
		return fmt.Errorf("workload %q has no size %d, it has %v", name, t.Size, sizes)
	}
	return nil
}
