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

package schedulerperf

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

const fileName = "performance-config.yaml"

// Workload is one of upstream's workloads.
type Workload struct {
	// Case is the name of the test case, Name that of its workload.
	Case, Name string
	// Dir contains the workload file; paths in the file are relative to it.
	Dir string
	// Configured is set if the file names a scheduler configuration, so it cannot be replaced by
	// ours.
	Configured bool
	// Gates are the feature gates that the workload sets.
	Gates map[string]bool
	// Pods is the number of measured pods; 0 if it depends on the scheduling rate.
	Pods int
}

// String is the workload's name in upstream's results.
func (w Workload) String() string { return w.Case + "/" + w.Name }

// File is the workload file.
func (w Workload) File() string { return filepath.Join(w.Dir, fileName) }

// defaultWorkloads are the workloads of the project's goals. Upstream's empty_100nodes and
// empty_200nodes do not run: they lack the parameter measurePods.
func defaultWorkloads() []string {
	return []string{
		"SchedulingWithResourceClaimTemplate/2000pods_200nodes",
		"SchedulingWithResourceClaimTemplate/empty_500nodes",
		"SchedulingWithResourceClaimTemplate/half_100nodes",
		"SchedulingWithResourceClaimTemplate/full_100nodes",
		"SchedulingWithResourceClaim/2000pods_200nodes",
		"ExtendedResource/Explicit_25classes_2000pods_200nodes",
	}
}

// Workloads returns the DRA workloads of the module k8s.io/kubernetes in dir with a matching name,
// or the default ones if there is no pattern.
func Workloads(dir, pattern string) ([]Workload, error) {
	all, err := catalogue(filepath.Join(dir, "test/integration/scheduler_perf/dra"))
	if err != nil {
		return nil, err
	}
	if pattern == "" {
		return pick(all, defaultWorkloads())
	}
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("read the pattern of workloads: %w", err)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(w Workload) bool { return !match.MatchString(w.String()) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no workload matches %q; there are:\n%s", pattern, names(all))
	}
	return chosen, nil
}

// LeftOut is a skipped workload and the reason.
type LeftOut struct {
	Workload string `json:"workload"`
	Why      string `json:"why"`
}

// Divide separates the workloads our plugin cannot run: those with their own scheduler
// configuration, and those for which unsupported returns a reason. It is an error if none remains.
func Divide(workloads []Workload, unsupported func(Workload) error) (rest []Workload, left []LeftOut, err error) {
	var reasons []error
	for _, w := range workloads {
		why := unsupported(w)
		if w.Configured {
			why = errors.New("it has a scheduler configuration of its own, which ours would replace")
		}
		if why == nil {
			rest = append(rest, w)
			continue
		}
		left = append(left, LeftOut{Workload: w.String(), Why: strings.ReplaceAll(why.Error(), "\n", "; ")})
		reasons = append(reasons, fmt.Errorf("%s cannot be run with our plugin: %w", w, why))
	}
	if len(rest) == 0 {
		err = errors.Join(reasons...)
	}
	return rest, left, err
}

// catalogue reads the workload files below dir, sorted by path.
func catalogue(dir string) ([]Workload, error) {
	var all []Workload
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != fileName {
			return err
		}
		cases, err := readCases(path)
		if err != nil {
			return err
		}
		for _, c := range cases {
			for _, w := range c.Workloads {
				gates := map[string]bool{}
				maps.Copy(gates, c.FeatureGates)
				maps.Copy(gates, w.FeatureGates)
				one := Workload{Case: c.Name, Name: w.Name, Dir: filepath.Dir(path), Configured: c.SchedulerConfigPath != "", Gates: gates}
				if !w.Params.SteadyState {
					one.Pods = w.Params.MeasurePods
				}
				all = append(all, one)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read upstream's workload files: %w", err)
	}
	return all, nil
}

// testCase is the relevant part of a test case in a workload file.
type testCase struct {
	Name                string
	SchedulerConfigPath string
	FeatureGates        map[string]bool
	Workloads           []struct {
		Name         string
		FeatureGates map[string]bool
		Params       struct {
			MeasurePods int
			SteadyState bool
		}
	}
}

func readCases(path string) ([]testCase, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a workload file: %w", err)
	}
	var cases []testCase
	if err := yaml.Unmarshal(data, &cases); err != nil {
		return nil, fmt.Errorf("decode %s: %w", path, err)
	}
	return cases, nil
}

func pick(all []Workload, wanted []string) ([]Workload, error) {
	chosen := make([]Workload, 0, len(wanted))
	for _, name := range wanted {
		i := slices.IndexFunc(all, func(w Workload) bool { return w.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("upstream has no workload %s any more; there are:\n%s", name, names(all))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func names(workloads []Workload) string {
	var b strings.Builder
	for _, w := range workloads {
		b.WriteString("  " + w.String() + "\n")
	}
	return b.String()
}
