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

package verify

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// journal is the content of outcomes.jsonl.
type journal struct {
	runs     []begun
	outcomes []spec.Outcome
	steps    map[string][]string // of completed attempts, by case
	problems []string
	// monitoring and findings are those of the monitors.
	monitoring *spec.Monitoring
	findings   []spec.Finding
	ended      time.Time // the latest time in the file
	failed     bool      // by a problem outside of the cases
}

// recorded returns the journal of a report, or its engine's equivalent.
func (v *verification) recorded(r schema.Report) (j journal, ok bool) {
	if v.rules.Record != nil {
		var reasons []string
		j.outcomes, j.failed, reasons = v.rules.Record(v.dir, r)
		v.reasons = append(v.reasons, reasons...)
		j.monitoring, j.findings = r.Monitoring, r.Findings
		return j, true
	}
	if j, ok = v.journal(); ok && v.ran() {
		v.begun(r, j)
	}
	return j, ok
}

// begun is the header of a run.
type begun struct {
	Suite      schema.Suite     `json:"suite"`
	Kubernetes string           `json:"kubernetes"`
	Selection  schema.Selection `json:"selection"`
}

// source returns the file with the outcomes.
func (v *verification) source() string {
	if v.rules.Record != nil {
		return reports.UpgradeFile
	}
	return reports.JournalFile
}

func (v *verification) journal() (journal, bool) {
	j := journal{steps: map[string][]string{}}
	data, err := fs.ReadFile(v.dir, reports.JournalFile)
	if err != nil {
		return j, !v.ran() // files has reported it missing
	}
	number := 0
	steps := map[string][]string{} // of running attempts
	for line := range strings.Lines(string(data)) {
		number++
		var record struct {
			spec.Progress

			Problem    string           `json:"problem"`
			Run        *begun           `json:"run"`
			Finding    *spec.Finding    `json:"finding"`
			Monitoring *spec.Monitoring `json:"monitoring"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			v.refuse("%s: line %d is malformed: %v", reports.JournalFile, number, err)
			continue
		}
		record = schema.Printable(record)
		if record.Time.After(j.ended) {
			j.ended = record.Time
		}
		switch {
		case record.Run != nil:
			j.runs = append(j.runs, *record.Run)
		case record.Problem != "":
			j.problems = append(j.problems, record.Problem)
		case record.Finding != nil:
			j.findings = append(j.findings, *record.Finding)
		case record.Monitoring != nil:
			j.monitoring = j.monitoring.Add(*record.Monitoring)
		case record.Outcome != nil:
			j.outcomes = append(j.outcomes, *record.Outcome)
			if record.Outcome.Status != spec.Blocked { // interrupted attempts may be missing in the log
				j.steps[record.ID] = append(j.steps[record.ID], steps[record.ID]...)
			}
			delete(steps, record.ID)
		case record.Step != "":
			steps[record.ID] = append(steps[record.ID], record.Step)
		default:
			delete(steps, record.ID) // killed attempts are missing in the log
		}
	}
	return j, true
}

// longestEnd bounds the time from the last line of a journal to the end of its run.
const longestEnd = 24 * time.Hour

// begun compares the header of a run, and of each resumption, with the report.
func (v *verification) begun(r schema.Report, j journal) {
	if len(j.runs) == 0 {
		v.refuse("%s: it does not say what the run began with", reports.JournalFile)
		return
	}
	for i, run := range j.runs {
		if i < len(j.runs)-1 { // the last one is compared as a whole
			v.compare(reports.JSONFile+": selection", reports.JournalFile+" makes it", chosen(r.Selection), chosen(run.Selection))
		}
		v.compare(reports.JSONFile+": suite", reports.JournalFile+" makes it", r.Suite, run.Suite)
		if r.Cluster.Kubernetes != run.Kubernetes {
			v.refuse("%s: cluster.kubernetes is %s, and %s makes it %s", reports.JSONFile, r.Cluster.Kubernetes, reports.JournalFile, run.Kubernetes)
		}
	}
	if r.Ended.Before(j.ended) || r.Ended.After(j.ended.Add(longestEnd)) {
		v.refuse("%s: it ended at %s, and the last line of %s is of %s", reports.JSONFile, r.Ended.UTC().Format(time.RFC3339), reports.JournalFile, j.ended.UTC().Format(time.RFC3339))
	}
	v.compare(reports.JSONFile+": selection", reports.JournalFile+" makes it", r.Selection, j.runs[len(j.runs)-1].Selection)
}

// chosen is what a resumed run takes from the earlier one.
func chosen(s schema.Selection) schema.Selection {
	s.AssumeStock, s.Strict, s.Parallel = nil, false, 0
	return s
}

// ran reports whether any case has attempts.
func (v *verification) ran() bool {
	return slices.ContainsFunc(v.conformance.Cases, func(c schema.ConformanceCase) bool { return len(c.Attempts) > 0 })
}

// outcomes returns the journal's outcomes, and those of cases without one from the report: only the
// report has the time they were given up.
func (v *verification) outcomes(r schema.Report, j journal) []spec.Outcome {
	outcomes := slices.Clone(j.outcomes)
	for _, c := range r.Cases {
		if c.SkipCode != "" || slices.ContainsFunc(j.outcomes, func(o spec.Outcome) bool { return o.ID == c.ID }) {
			continue
		}
		if c.Status != spec.Blocked || !strings.HasPrefix(c.Reason, "did not end") {
			v.refuse("%s: case %s is %s, and %s has no outcome of it", reports.JSONFile, c.ID, c.Status, v.source())
		}
		outcomes = append(outcomes, spec.Outcome{
			ID: c.ID, Status: spec.Blocked, Started: c.Started, Reason: c.Reason, LastStep: c.LastStep,
			Duration: time.Duration(c.DurationSeconds * float64(time.Second)),
		})
	}
	return outcomes
}
