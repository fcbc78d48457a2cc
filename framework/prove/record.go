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

package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/google/renameio/v2"

	"github.com/dra-conformance/dratest/reports/schema"
)

// RecordFile is the record's name in the report directory.
const RecordFile = "prove.json"

// Record is the result of a proof so far.
type Record struct {
	SchemaVersion string       `json:"schemaVersion"`
	Proof         string       `json:"proof"`
	Keyword       string       `json:"word"`
	Where         string       `json:"where,omitempty"`
	Suite         schema.Suite `json:"suite"`
	Shard         string       `json:"shard"`
	// Only are the selected trials; empty means all.
	Only []string `json:"only,omitempty"`
	// All is the number of trials of the proof; Rest: other trials were done elsewhere.
	All     int       `json:"all,omitempty"`
	Rest    bool      `json:"rest,omitempty"`
	Started time.Time `json:"started"`
	// Verdict is Incomplete while trials are left or not applicable.
	Verdict schema.Verdict `json:"verdict"`
	// Trials are the shard's trials in order, Results the results of completed ones.
	Trials  []Trial  `json:"trials"`
	Results []Result `json:"results"`
	// Observers are those of the proof.
	Observers []string `json:"watchers,omitempty"`
}

// Result is the result of a trial.
type Result struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`

	Finding
}

// Finding is a Prover's result of a trial.
type Finding struct {
	// Detected: the defect was detected as expected.
	Detected bool `json:"shown"`
	// NotApplicable: none of the expected observers can run here. It is neither detected nor missed, and the proof stays
	// incomplete.
	NotApplicable bool `json:"notApplicable,omitempty"`
	// By has noticed, Missed must have and has not.
	By     []string `json:"by,omitempty"`
	Missed []string `json:"missed,omitempty"`
	// Unable are further observers that cannot run here: one detection is enough.
	Unable []string `json:"unable,omitempty"`
	// Note is for people.
	Note string `json:"note,omitempty"`
	// Problem is why the trial is inconclusive; it is repeated when the proof is resumed.
	Problem string `json:"problem,omitempty"`
	// Evidence is a directory relative to the record's.
	Evidence string `json:"evidence,omitempty"`
}

func (r Record) left() []Trial {
	return slices.DeleteFunc(slices.Clone(r.Trials), func(t Trial) bool { return r.has(t.ID) })
}

// has tells whether a trial has a verdict.
func (r Record) has(id string) bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.ID == id && x.Problem == "" })
}

// with is the record with a result, replacing an earlier one of the same trial.
func (r Record) with(x Result) Record {
	r.Results = append(slices.DeleteFunc(slices.Clone(r.Results), func(y Result) bool { return y.ID == x.ID }), x)
	r.Verdict = r.verdict()
	return r
}

// Detected counts detected trials.
func (r Record) Detected() int {
	n := 0
	for _, x := range r.Results {
		if x.Detected && x.Problem == "" {
			n++
		}
	}
	return n
}

// NotApplicable counts trials without an observer able to run here.
func (r Record) NotApplicable() int {
	n := 0
	for _, x := range r.Results {
		if x.NotApplicable && x.Problem == "" {
			n++
		}
	}
	return n
}

// Elsewhere returns the undetected trials with further observers unable to run here; it is empty if any trial was
// missed by all.
func (r Record) Elsewhere() []string {
	var ids []string
	for _, x := range r.Results {
		switch {
		case x.Detected || x.NotApplicable || x.Problem != "":
		case len(x.Unable) == 0:
			return nil
		default:
			ids = append(ids, x.ID)
		}
	}
	return ids
}

// Untried counts trials missing in merged parts of a proof.
func (r Record) Untried() int {
	if r.Rest || len(r.Only) > 0 || r.Shard != (Shard{}.String()) {
		return 0
	}
	return max(0, r.All-len(r.Trials))
}

// Without returns the observers without any detection.
func (r Record) Without() []string {
	return slices.DeleteFunc(slices.Clone(r.Observers), func(w string) bool {
		return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Problem == "" && slices.Contains(x.By, w) })
	})
}

// quiet returns a trial's observers without any detection.
func (r Record) quiet(t Trial) []string {
	without := r.Without()
	return slices.DeleteFunc(slices.Clone(t.Must), func(id string) bool { return !slices.Contains(without, id) })
}

// needed is the record without trials detected elsewhere and not needed for quiet observers either.
func (r Record) needed() Record {
	r.Trials = slices.DeleteFunc(slices.Clone(r.Trials), func(t Trial) bool {
		return t.Elsewhere && !r.has(t.ID) && len(r.quiet(t)) == 0
	})
	r.Verdict = r.verdict()
	return r
}

// verdict: a missed trial counts even if others are left or not applicable.
func (r Record) verdict() schema.Verdict {
	unknown := len(r.left()) + r.NotApplicable() + r.Untried()
	switch {
	case r.Detected()+unknown < len(r.Trials)+r.Untried():
		return schema.Failed
	case unknown > 0:
		return schema.Incomplete
	default:
		return schema.Passed
	}
}

// fits returns why a record cannot be resumed with the given options.
func (r Record) fits(want Record) error {
	what := r.differs(want)
	switch {
	case what != "":
	case r.Where != want.Where:
		what = fmt.Sprintf("it is on %s, not on %s", r.Where, want.Where)
	case !slices.Equal(r.Only, want.Only):
		what = fmt.Sprintf("it was asked for the trials %v, not for %v", orAll(r.Only), orAll(want.Only))
	case r.Shard != want.Shard:
		what = fmt.Sprintf("it is shard %s, not %s", r.Shard, want.Shard)
	case r.Rest != want.Rest:
		what = "one of them is a --rest-of proof"
	case !r.Rest && !reflect.DeepEqual(r.Trials, want.Trials):
		what = fmt.Sprintf("its trials are %v, not %v, or must be noticed by others", IDs(r.Trials), IDs(want.Trials))
	default:
		return nil
	}
	return fmt.Errorf("%w: %s: go on with what began it, or begin anew without --resume", ErrAnother, what)
}

// differs returns the difference between two proofs' records, or "".
func (r Record) differs(want Record) string {
	switch {
	case r.Proof != want.Proof:
		return fmt.Sprintf("it is a proof of %s, not of %s", r.Proof, want.Proof)
	case r.Suite != want.Suite:
		return fmt.Sprintf("it was begun by dratest %s, this is %s", suite(r.Suite), suite(want.Suite))
	default:
		return ""
	}
}

// ErrAnother: the record in the report directory is not of the proof to resume.
var ErrAnother = errors.New("the proof in the report directory is another one")

// orAll describes a selection of trials.
func orAll(only []string) any {
	if len(only) == 0 {
		return "all"
	}
	return only
}

func suite(s schema.Suite) string {
	text := s.Version
	if s.Commit != "" {
		text += " of commit " + s.Commit
	}
	if s.Modified {
		text += " with changes"
	}
	return text
}

// save replaces the file in one step.
func (r Record) save(dir string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, RecordFile), append(data, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("record the result of the proof: %w", err)
	}
	return nil
}

func load(dir string) (Record, error) {
	name := filepath.Join(dir, RecordFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("%w: there is no %s: begin without --resume", ErrAnother, name)
	}
	if err != nil {
		return Record{}, fmt.Errorf("read the proof to go on with: %w", err)
	}
	var head struct {
		SchemaVersion string `json:"schemaVersion"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Record{}, fmt.Errorf("read %s: %w", name, err)
	}
	if head.SchemaVersion != schema.Version {
		return Record{}, fmt.Errorf("%w: %s has the schema version %q, this dratest reads %s: begin anew without --resume", ErrAnother, name, head.SchemaVersion, schema.Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var r Record
	if err := decoder.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("read %s: %w", name, err)
	}
	return r, nil
}
