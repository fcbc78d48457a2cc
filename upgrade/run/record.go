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
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/framework/outage"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// RecordFile is the record's name in the report directory.
const RecordFile = reports.UpgradeFile

// RecordVersion changes when a reader of RecordFile has to.
const RecordVersion = "3"

// Record is the progress of a run, and in the end its findings.
type Record struct {
	SchemaVersion string         `json:"schemaVersion"`
	Verdict       schema.Verdict `json:"verdict,omitempty"`
	Request       path.Request   `json:"request"`
	Cluster       string         `json:"cluster"`
	// External is set if another tool upgrades the cluster.
	External *External `json:"external,omitempty"`
	// Expectations are the cases expected to fail.
	Expectations []schema.Expectation `json:"expectations,omitempty"`
	// Target is the cluster before the first step.
	Target  spec.Target `json:"target"`
	Started time.Time   `json:"started"`
	// Seconds is the total time of all processes of the run.
	Seconds float64 `json:"seconds"`
	Steps   []Step  `json:"steps"`
	Cases   []Case  `json:"cases"`
	// Problems are why the run is incomplete.
	Problems []string `json:"problems,omitempty"`
	// Monitoring describes the monitors, Findings what they found.
	Monitoring *spec.Monitoring `json:"monitoring,omitempty"`
	Findings   []spec.Finding   `json:"findings,omitempty"`
}

// Step is a step of the path and its result.
type Step struct {
	path.Step

	// Skew is the mix of versions after it.
	Skew string `json:"skew"`
	// Done: the component has said so.
	Done      bool      `json:"done"`
	Seconds   float64   `json:"seconds"`
	Downtimes Downtimes `json:"downtimes"`
	// Watched is how many seconds were watched for downtimes before the check of a step of another tool.
	Watched float64 `json:"watched,omitempty"`
	// Problem is why it could not be done.
	Problem string `json:"problem,omitempty"`
}

// Downtimes are the longest downtimes in seconds.
type Downtimes struct {
	// Component is the changed component.
	Component float64 `json:"component"`
	// Scheduling is for new pods, without claims.
	Scheduling float64 `json:"scheduling"`
	API        float64 `json:"api"`
	// NotReady is for a node that was not ready.
	NotReady float64 `json:"notReady"`
	// Devices is for pods with claims, by driver behavior: its slices were gone.
	Devices outage.Seconds `json:"devices"`
}

func (d Downtimes) over(e Downtimes) Downtimes {
	return Downtimes{
		Component: max(d.Component, e.Component), Scheduling: max(d.Scheduling, e.Scheduling),
		API: max(d.API, e.API), NotReady: max(d.NotReady, e.NotReady), Devices: d.Devices.Over(e.Devices),
	}
}

// text lists the downtimes of at least some seconds.
func (d Downtimes) text(least float64) string {
	var all []string
	for _, row := range []struct {
		what    string
		seconds float64
	}{
		{"a new pod scheduled", d.Scheduling},
		{"an answer of the API", d.API},
		{"a ready node", d.NotReady},
		{"slices of a driver that publishes at once", d.Devices.AtOnce},
		{"slices of a driver that uses the published helper", d.Devices.Helper},
	} {
		if row.seconds >= least {
			all = append(all, fmt.Sprintf("%s %.1fs", row.what, row.seconds))
		}
	}
	return strings.Join(all, ", ")
}

// Case is a case and its pieces.
type Case struct {
	ID     string `json:"id"`
	Checks string `json:"checks"`
	// Status is empty while the case goes on.
	Status spec.Status `json:"status,omitempty"`
	// Skip says why a case does not run.
	Skip      *spec.Skip  `json:"skip,omitempty"`
	Namespace string      `json:"namespace,omitempty"`
	Notes     cases.Notes `json:"notes,omitzero"`
	Pieces    []Piece     `json:"pieces,omitempty"`
}

// Phase is the kind of a piece.
type Phase string

// The phases of a case, in their order.
const (
	Begin    Phase = "begin"
	Before   Phase = "before"
	Down     Phase = "down"
	After    Phase = "after"
	Anew     Phase = "anew"
	Restored Phase = "restored"
	Gone     Phase = "gone"
)

// Piece is a completed part of a case.
type Piece struct {
	Phase Phase `json:"phase"`
	// Step is the number of the preceding step.
	Step    int         `json:"step"`
	Status  spec.Status `json:"status"`
	Started time.Time   `json:"started"`
	Seconds float64     `json:"seconds"`
	// KnownIssue is the observed violation of the case's known issue.
	KnownIssue string `json:"knownIssue,omitempty"`
	Failure    string `json:"failure,omitempty"`
	LastStep   string `json:"lastStep,omitempty"`
	Location   string `json:"location,omitempty"`
	Evidence   string `json:"evidence,omitempty"`
}

// state is the status, for people.
func (c Case) state() string { return cmp.Or(string(c.Status), "goes on") }

// seen is a known issue with its first occurrence and the number of others.
type seen struct {
	Piece
	more int
}

func (s seen) String() string {
	if s.more == 0 {
		return s.KnownIssue
	}
	return fmt.Sprintf("%s (seen %d times)", s.KnownIssue, s.more+1)
}

// knownIssues returns the observed known issues, each once.
func (c Case) knownIssues() []seen {
	var all []seen
	for _, p := range c.Pieces {
		if p.KnownIssue == "" {
			continue
		}
		if i := slices.IndexFunc(all, func(s seen) bool { return s.KnownIssue == p.KnownIssue }); i >= 0 {
			all[i].more++
		} else {
			all = append(all, seen{Piece: p})
		}
	}
	return all
}

func (c Case) did(phase Phase, step int) bool {
	for _, p := range c.Pieces {
		if p.Phase == phase && p.Step == step {
			return true
		}
	}
	return false
}

// gone reports whether the case has removed its objects.
func (c Case) gone() bool {
	return slices.ContainsFunc(c.Pieces, func(p Piece) bool { return p.Phase == Gone })
}

// done is the number of completed steps.
func (r Record) done() int {
	for i, s := range r.Steps {
		if !s.Done {
			return i
		}
	}
	return len(r.Steps)
}

// over reports whether there is nothing left to resume.
func (r Record) over() bool {
	if r.External != nil {
		return r.External.Ended
	}
	return r.done() == len(r.Steps) && len(r.Cases) > 0 && !slices.ContainsFunc(r.Cases, func(c Case) bool { return c.Status == "" })
}

// expected returns why a finished case was expected to fail; empty if it was not.
func (r Record) expected(c Case) string {
	for _, e := range r.Expectations {
		if e.Case == c.ID && slices.Contains([]spec.Status{spec.Passed, spec.Failed, spec.Unreviewed}, c.Status) {
			return e.String()
		}
	}
	return ""
}

// downtimes are the longest of all steps.
func (r Record) downtimes() Downtimes {
	var longest Downtimes
	for _, s := range r.Steps {
		longest = longest.over(s.Downtimes)
	}
	return longest
}

func newRecord(o Options, p path.Path, now time.Time) Record {
	return Record{
		SchemaVersion: RecordVersion, Request: o.Request, Cluster: o.Cluster.Name, Expectations: o.Expectations, Started: now.UTC(), Steps: Steps(p),
	}
}

// Steps returns the steps of a path, none of them done.
func Steps(p path.Path) []Step {
	var steps []Step
	states := p.States()
	for i, step := range p.Steps {
		steps = append(steps, Step{Step: step, Skew: states[i+1].Skew()})
	}
	return steps
}

// save replaces the file in one step.
func (r Record) save(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, RecordFile), append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("record the completed steps: %w", err)
	}
	return nil
}

// LoadRecord reads the record of a run from its report directory.
func LoadRecord(dir string) (Record, error) {
	r, err := readRecord(os.DirFS(dir))
	if err != nil {
		return r, fmt.Errorf("find the run to go on with: %s: %w", dir, err)
	}
	return r, nil
}

func readRecord(dir fs.FS) (r Record, err error) {
	data, err := fs.ReadFile(dir, RecordFile)
	if err == nil {
		if err = json.Unmarshal(data, &r); err != nil {
			err = fmt.Errorf("%s is damaged: %w", RecordFile, err)
		}
	}
	if err == nil && r.SchemaVersion != RecordVersion {
		err = fmt.Errorf("%s has schema version %q, this dratest reads %s", RecordFile, r.SchemaVersion, RecordVersion)
	}
	return r, err
}
