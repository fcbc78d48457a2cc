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

package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
)

// maxTimeoutScale is the largest factor for time limits.
const maxTimeoutScale = 10

// Options configure a run.
type Options struct {
	testbed.Config

	// Disruptive allows cases to restart components of an existing cluster, and declares that nobody else uses it.
	Disruptive bool
	// RestartNodes allows them to restart whole nodes, too.
	RestartNodes bool
	// AssumeStock are components declared by the user as Kubernetes' own.
	AssumeStock []string
	// Strict counts known issues as failures.
	Strict bool
	// Again resumes the run with its report in ReportDir, with its filter; empty starts anew.
	Again Again
	// Timelines selects the cases with a timeline; empty means all.
	Timelines spec.Timelines
	Filter    plan.Filter
	// Expectations are the cases expected to fail.
	Expectations []schema.Expectation
	// Driver is the driver as reported.
	Driver schema.Driver
	// Identity is the tested Kubernetes distribution, or driver, in the conformance report, Command dratest's command
	// line.
	Identity schema.Implementation
	Command  []string
	// Signer signs the conformance report; nil signs nothing.
	Signer sign.Signer
	// Parallel is the number of processes; zero means 4.
	Parallel int
	// Timeout bounds the cases, without setup and cleanup; zero means an hour.
	Timeout time.Duration
	// TimeoutScale is the factor for the time limits of cases and of their cleanup, from 1 to 10; zero means 1.
	TimeoutScale float64
	// Overlay replaces source files of programs started by cases, by path in their checkout.
	Overlay map[string][]byte
	// CaseLimit reduces longer timeouts of cases, with three times as much for cases waiting for a delay of Kubernetes'
	// own; zero keeps their timeouts.
	CaseLimit time.Duration
	// Seed of the order of cases; zero means one from the clock.
	Seed     int64
	FailFast bool
	// Progress is called whenever a case has ended; nil calls nothing.
	Progress func(Progress)
	// Signals stop the run, SIGINT and the like: the first one gracefully, each further one skips the current wait.
	Signals <-chan os.Signal
}

// Progress of a run.
type Progress struct {
	// Message is the ID and status of the case that ended last.
	Message string
	// Total is the number of cases to run, Completed that of those that ended.
	Total, Completed int
	// Failures are the IDs of failed cases.
	Failures []string
}

func (o Options) withDefaults(now time.Time) Options {
	o.Config = o.WithDefaults()
	if o.Parallel == 0 {
		o.Parallel = 4
	}
	if o.Timeout == 0 {
		o.Timeout = time.Hour
	}
	if o.Seed == 0 {
		o.Seed = now.Unix()
	}
	o.Timelines = cmp.Or(o.Timelines, spec.TimelinesAll)
	return o
}

// Validate returns all problems of the options at once.
func (o Options) Validate() error {
	errs := []error{o.Config.Validate()}
	if o.Parallel < 0 || o.Parallel > 64 {
		errs = append(errs, fmt.Errorf("parallel: %d: must be between 1 and 64", o.Parallel))
	}
	if o.Timelines != "" && !slices.Contains([]spec.Timelines{spec.TimelinesAll, spec.TimelinesFailed, spec.TimelinesNone}, o.Timelines) {
		errs = append(errs, fmt.Errorf("timelines: %q: must be all, failed or none", o.Timelines))
	}
	if o.Timeout < 0 {
		errs = append(errs, fmt.Errorf("timeout: %s: must not be negative", o.Timeout))
	}
	if scale := cmp.Or(o.TimeoutScale, 1); !(scale >= 1 && scale <= maxTimeoutScale) { // or not a number
		errs = append(errs, fmt.Errorf("timeout-scale: %g: must be between 1 and %d", scale, maxTimeoutScale))
	}
	if o.FailFast && len(o.Expectations) > 0 {
		errs = append(errs, errors.New("fail-fast: would stop at an expected failure: leave it out"))
	}
	if o.InCluster && o.RestartNodes {
		errs = append(errs, errors.New("restart-nodes: would restart the node on which this runs: leave it out, or run from outside of the cluster"))
	}
	for _, name := range o.AssumeStock {
		if spec.Assumable()[name] == "" {
			errs = append(errs, fmt.Errorf("assume-stock: %q: must be one of %s", name, strings.Join(spec.AssumableNames(), ", ")))
		}
	}
	_, err := plan.Select(nil, o.Filter)
	return errors.Join(append(errs, err)...)
}

// scaled is a time limit for slow clusters.
func (o Options) scaled(limit time.Duration) time.Duration {
	return time.Duration(float64(limit) * cmp.Or(o.TimeoutScale, 1))
}

// changedScale is the factor for time limits, or zero for 1.
func (o Options) changedScale() float64 {
	if o.TimeoutScale == 1 {
		return 0
	}
	return o.TimeoutScale
}

// selection is the report's summary of the options.
func (o Options) selection() schema.Selection {
	return schema.Selection{Focus: o.Filter.Focus, Skip: o.Filter.Skip, Labels: o.Filter.Labels, Profile: string(o.Filter.Profile), Mutant: o.Filter.Mutant, AssumeStock: o.AssumeStock, Strict: o.Strict, Parallel: o.Parallel, TimeoutScale: o.changedScale(), Expectations: o.Expectations}
}

// absolute is the report directory for processes with another working directory.
func (o Options) absolute() (string, error) {
	dir, err := filepath.Abs(o.ReportDir)
	if err != nil {
		return "", fmt.Errorf("find the report directory: %w", err)
	}
	return dir, nil
}
