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

package history

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Version is the schemaVersion of histories in JSON.
const Version = "1"

// History is the summary of runs, oldest first.
type History struct {
	SchemaVersion string `json:"schemaVersion"`
	Runs          []Run  `json:"runs"`
	Cases         []Case `json:"cases"`
}

// Run is one report.
type Run struct {
	Dir     string    `json:"dir"`
	Started time.Time `json:"started"`
	// Target names the tested configuration: runs with the same target should agree.
	Target string        `json:"target"`
	Result schema.Result `json:"result"`
}

// Case is the history of a case.
type Case struct {
	ID string `json:"id"`
	// Runs counts passes and failures, PassRate is the share of passes in percent. Known issues and cases
	// without a verdict are not counted.
	Runs     int     `json:"runs"`
	PassRate float64 `json:"passRate"`
	// Flaky lists the targets with differing results, or with differing attempts in a run.
	Flaky        []string   `json:"flaky,omitempty"`
	FirstFailure *Failure   `json:"firstFailure,omitempty"`
	Durations    []Duration `json:"durations,omitempty"`
	Targets      []Target   `json:"targets"`
}

// Failure is a run with a failure of a case.
type Failure struct {
	Dir     string    `json:"dir"`
	Started time.Time `json:"started"`
	Target  string    `json:"target"`
	Reason  string    `json:"reason"`
}

// Duration is a change of a case's duration on a target: all later passes took longer, or less time,
// than all earlier ones.
type Duration struct {
	Target string    `json:"target"`
	Since  time.Time `json:"since"`
	// Before and After are medians, in seconds.
	Before float64 `json:"before"`
	After  float64 `json:"after"`
}

// Target has a case's results on a target, oldest first.
type Target struct {
	Target  string              `json:"target"`
	Results []schema.CaseResult `json:"results"`
}

// Report is a conformance report with its directory.
type Report struct {
	Dir string
	schema.ConformanceReport
}

// New returns the history of reports. renamed maps former case IDs to current ones.
func New(reports []Report, renamed map[string]string) History {
	reports = slices.Clone(reports)
	slices.SortStableFunc(reports, func(a, b Report) int { return a.Run.Started.Compare(b.Run.Started) })
	var plain []schema.ConformanceReport
	for _, r := range reports {
		plain = append(plain, r.ConformanceReport)
	}
	h := History{SchemaVersion: Version, Runs: []Run{}, Cases: []Case{}}
	seen := map[string][]sighting{}
	for i, target := range matrix.Targets(plain) {
		r := reports[i]
		run := Run{r.Dir, r.Run.Started, target, r.Result}
		h.Runs = append(h.Runs, run)
		for _, c := range r.Cases {
			if c.Result != schema.CaseNotSelected && c.Result != schema.CaseNotApplicable {
				id := cmp.Or(renamed[c.ID], c.ID)
				seen[id] = append(seen[id], sighting{run, c})
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		h.Cases = append(h.Cases, caseOf(id, seen[id]))
	}
	return h
}

// sighting is a case in a run.
type sighting struct {
	run  Run
	each schema.ConformanceCase
}

func (s sighting) failed() bool {
	return s.each.Result == schema.CaseFailed || s.each.Result == schema.CaseWarning
}

// flaky reports whether attempts of the run differ.
func (s sighting) flaky() bool {
	return slices.ContainsFunc(s.each.Attempts, func(a schema.Attempt) bool {
		return a.Status != spec.Blocked && a.Status != s.each.Attempts[0].Status && s.each.Attempts[0].Status != spec.Blocked
	})
}

func caseOf(id string, all []sighting) Case {
	c := Case{ID: id}
	passed := 0
	byTarget := map[string][]sighting{}
	var targets []string
	for _, s := range all {
		if s.each.Result == schema.CasePassed {
			passed++
		}
		if s.each.Result == schema.CasePassed || s.failed() {
			c.Runs++
		}
		if s.failed() && c.FirstFailure == nil {
			c.FirstFailure = &Failure{s.run.Dir, s.run.Started, s.run.Target, s.each.Reason}
		}
		if byTarget[s.run.Target] == nil {
			targets = append(targets, s.run.Target)
		}
		byTarget[s.run.Target] = append(byTarget[s.run.Target], s)
	}
	if c.Runs > 0 {
		c.PassRate = 100 * float64(passed) / float64(c.Runs)
	}
	for _, target := range targets {
		on := byTarget[target]
		results, verdicts := Target{Target: target}, map[schema.CaseResult]bool{}
		for _, s := range on {
			results.Results = append(results.Results, s.each.Result)
			if s.each.Result != schema.CaseBlocked && s.each.Result != schema.CaseUnreviewed { // neither is a verdict
				verdicts[s.each.Result] = true
			}
		}
		c.Targets = append(c.Targets, results)
		if len(verdicts) > 1 || slices.ContainsFunc(on, sighting.flaky) {
			c.Flaky = append(c.Flaky, target)
		}
		if d, changed := durationOf(target, on); changed {
			c.Durations = append(c.Durations, d)
		}
	}
	return c
}

// durationOf finds the latest run changing a case's duration.
func durationOf(target string, on []sighting) (Duration, bool) {
	var passes [][]float64
	var started []time.Time
	for _, s := range on {
		if seconds := diff.Passing(s.each); len(seconds) > 0 {
			passes, started = append(passes, seconds), append(started, s.run.Started)
		}
	}
	for i := len(passes) - 1; i > 0; i-- {
		before, after := slices.Concat(passes[:i]...), slices.Concat(passes[i:]...)
		if diff.Grew(before, after) || diff.Grew(after, before) {
			return Duration{target, started[i], median(before), median(after)}, true
		}
	}
	return Duration{}, false
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
