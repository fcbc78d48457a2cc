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
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Again selects the cases of an earlier run to repeat, in its report.
type Again string

// Values of Again.
const (
	// Unfinished are the cases without a verdict.
	Unfinished Again = "unfinished"
	// Failures are those and the failed cases, unless expected to fail.
	Failures Again = "failures"
)

// ErrNoRun: there is no earlier run to resume.
var ErrNoRun = errors.New("there is no run to go on with")

// earlier is the state of the run to resume; the zero value is none.
type earlier struct {
	run     *journal.Run
	started time.Time
	last    map[string]spec.Status
	// problems are in its report only.
	problems []string
}

// takeUp reads an earlier run from a report directory. Its report stays until the run continues (begin), since only
// the report has the problems. An expectation that has expired is an error.
func takeUp(dir string, now time.Time) (earlier, error) {
	if err := journal.Mend(dir); errors.Is(err, fs.ErrNotExist) {
		return earlier{}, fmt.Errorf("%w: %s has no %s", ErrNoRun, dir, journal.File)
	} else if err != nil {
		return earlier{}, err
	}
	records, err := journal.Follow(dir).Next()
	if err != nil {
		return earlier{}, err
	}
	e := earlier{last: map[string]spec.Status{}}
	for _, r := range records {
		switch {
		case r.Run != nil && e.run == nil:
			e.run, e.started = r.Run, r.Time
		case r.Outcome != nil:
			e.last[r.ID] = r.Outcome.Status
		}
	}
	if e.run == nil {
		return e, fmt.Errorf("%w: %s in %s does not say what was run", ErrNoRun, journal.File, dir)
	}
	if err := expectations.Valid(e.run.Selection.Expectations, now); err != nil {
		return e, err
	}
	r, err := reports.Read(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("an earlier run: %w", err)
	}
	e.problems = r.Problems
	return e, nil
}

func removeReport(dir string) error {
	return errors.Join(reports.RemoveEnd(dir), matrix.Remove(dir))
}

// options are those of a run resuming the earlier one: the same cases with the same rules and, for unfinished ones, the same mutant.
func (e earlier) options(o Options) Options {
	s := e.run.Selection
	o.Filter.Focus, o.Filter.Skip, o.Filter.Labels, o.Filter.Mutant = s.Focus, s.Skip, s.Labels, s.Mutant
	o.Filter.Profile, o.Expectations = spec.Subset(s.Profile), s.Expectations
	o.Strict, o.AssumeStock, o.TimeoutScale = s.Strict, s.AssumeStock, s.TimeoutScale
	return o
}

// fits returns why outcomes on a target cannot be combined with the earlier ones.
func (e earlier) fits(now journal.Run) error {
	switch {
	case e.run == nil:
		return nil
	case e.run.Suite != now.Suite:
		return fmt.Errorf("the earlier run was of dratest %s %s, this is %s %s: go on with that, or start anew", e.run.Suite.Version, e.run.Suite.Commit, now.Suite.Version, now.Suite.Commit)
	case e.run.Kubernetes != now.Kubernetes || !maps.Equal(e.run.Stack, now.Stack):
		return fmt.Errorf("the earlier run was on Kubernetes %s %v, this cluster is %s %v: their outcomes do not belong into one report", e.run.Kubernetes, e.run.Stack, now.Kubernetes, now.Stack)
	case e.run.DriverBuild != now.DriverBuild:
		return errors.New("the earlier run was of another declaration or of other images of the driver: their outcomes do not belong into one report")
	default:
		return nil
	}
}

func (e earlier) left(p spec.Plan, again Again) spec.Plan {
	left := spec.Plan{Target: p.Target}
	for _, entry := range p.Entries {
		if !e.done(entry.Meta.ID, again) {
			left.Entries = append(left.Entries, entry)
		}
	}
	return left
}

func (e earlier) done(id string, again Again) bool {
	switch last := e.last[id]; {
	case last.Ended():
		return true
	case last == spec.Failed:
		return again == Unfinished || slices.ContainsFunc(e.run.Selection.Expectations, func(x schema.Expectation) bool { return x.Case == id })
	default:
		return false
	}
}
