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
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The compared plugins, by their names in configurations.
const (
	Stock = "DynamicResources"
	Own   = "DRA"
)

// Config configures the runs.
type Config struct {
	// Harness is the test binary of the directory harness.
	Harness string
	// BinDir contains etcd, which upstream looks up in the PATH.
	BinDir string
	// Artifacts is the directory for each run's profile, results and, if it failed, its log.
	Artifacts string
	// Repeat is the number of runs per workload and plugin.
	Repeat int
	// Control runs upstream's plugin in place of ours, to show the noise.
	Control bool
	// Progress gets a line per run.
	Progress io.Writer
}

// Validate returns all problems at once.
func (c Config) Validate() error {
	var problems []error
	if c.Repeat < 1 {
		problems = append(problems, fmt.Errorf("%d repetitions: at least one is needed", c.Repeat))
	}
	for _, path := range []string{c.Harness, filepath.Join(c.BinDir, "etcd")} {
		if _, err := os.Stat(path); err != nil {
			problems = append(problems, fmt.Errorf("find a program that .ci/bench-scheduler builds: %w", err))
		}
	}
	for _, path := range []string{c.Harness, c.BinDir, c.Artifacts} {
		if !filepath.IsAbs(path) {
			problems = append(problems, fmt.Errorf("%q is not an absolute path, but runs have working directories of their own", path))
		}
	}
	return errors.Join(problems...)
}

// stockSide is the baseline.
const stockSide = "stock"

// side is a role in the comparison.
type side struct{ name, plugin string }

// sides are the two roles: the baseline and the candidate.
func (c Config) sides() [2]side {
	if c.Control {
		return [2]side{{stockSide, Stock}, {"control", Stock}}
	}
	return [2]side{{stockSide, Stock}, {"own", Own}}
}

// Run runs the workloads, one process after the other, and returns all measurements, including
// failed ones. The error is for a failure of the whole comparison.
func Run(ctx context.Context, c Config, workloads []Workload) ([]Measurement, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var done []Measurement
	total := 2 * c.Repeat * len(workloads)
	for repetition := 1; repetition <= c.Repeat; repetition++ {
		for _, w := range workloads {
			// The machine's speed drifts: alternate the order in each repetition.
			order := c.sides()
			if repetition%2 == 0 {
				order[0], order[1] = order[1], order[0]
			}
			for _, s := range order {
				_, _ = fmt.Fprintf(c.Progress, "%3d/%d %-55s %-7s ", len(done)+1, total, w, s.name)
				m, err := c.measure(ctx, w, s, repetition)
				if err != nil {
					return done, err
				}
				_, _ = fmt.Fprintln(c.Progress, m.line())
				done = append(done, m)
			}
		}
	}
	return done, nil
}

// line is the progress message after a run.
func (m Measurement) line() string {
	if m.Error != "" {
		return fmt.Sprintf("failed after %.0f s: %s", m.Elapsed, m.Error)
	}
	return fmt.Sprintf("%6.1f pods/s, Filter %.2f ms, in %.0f s", m.PodsPerSecond, m.Filter, m.Elapsed)
}

// measure is one run. A failed run is a result; failure to start one is an error.
func (c Config) measure(ctx context.Context, w Workload, s side, repetition int) (Measurement, error) {
	m := Measurement{
		Workload: w.String(), Pods: w.Pods, Side: s.name, Plugin: s.plugin, Repetition: repetition,
		Dir: filepath.Join(c.Artifacts, fmt.Sprintf("%s-%s-%d", strings.ReplaceAll(w.String(), "/", "-"), s.name, repetition)),
	}
	if err := os.RemoveAll(m.Dir); err != nil {
		return m, fmt.Errorf("clear the directory of a run: %w", err)
	}
	if err := os.MkdirAll(m.Dir, 0o755); err != nil {
		return m, fmt.Errorf("make the directory of a run: %w", err)
	}
	file := w.File()
	if s.plugin == Own {
		var err error
		if file, err = configure(w, m.Dir); err != nil {
			return m, err
		}
	}
	start := time.Now()
	used, err := c.start(ctx, w, s, file, m.Dir)
	m.Elapsed = time.Since(start).Seconds()
	m.Resident, m.CPU, m.Others = used.resident, used.cpu, used.others
	if ctx.Err() != nil {
		return m, context.Cause(ctx)
	}
	if err == nil {
		err = m.readResults(m.Dir)
	}
	if err != nil {
		m.Error = err.Error()
		return m, nil
	}
	return m, m.readProfile(ctx)
}
