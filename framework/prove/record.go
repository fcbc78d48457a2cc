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

// Record is what a proof has come to so far.
type Record struct {
	SchemaVersion string       `json:"schemaVersion"`
	Proof         string       `json:"proof"`
	Word          string       `json:"word"`
	Where         string       `json:"where,omitempty"`
	Suite         schema.Suite `json:"suite"`
	Shard         string       `json:"shard"`
	// Only are the trials that were asked for; empty means all.
	Only []string `json:"only,omitempty"`
	// All is how many trials the proof has; Rest says that others than those of this record
	// were done elsewhere.
	All     int       `json:"all,omitempty"`
	Rest    bool      `json:"rest,omitempty"`
	Started time.Time `json:"started"`
	// Verdict is Incomplete as long as trials are left, and where some do not apply.
	Verdict schema.Verdict `json:"verdict"`
	// Trials are those of the shard, in their order, Results those of the trials that
	// were done.
	Trials  []Trial  `json:"trials"`
	Results []Result `json:"results"`
	// Watchers are those of the proof.
	Watchers []string `json:"watchers,omitempty"`
}

// Result is what a trial came to.
type Result struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`

	Finding
}

// Finding is what a Prover finds in a trial.
type Finding struct {
	// Shown: the trial shows what it should.
	Shown bool `json:"shown"`
	// NotApplicable: nobody who must notice could run here. It is neither shown nor missed,
	// and keeps the proof from being complete.
	NotApplicable bool `json:"notApplicable,omitempty"`
	// By has noticed, Missed must have and has not.
	By     []string `json:"by,omitempty"`
	Missed []string `json:"missed,omitempty"`
	// Unable might have noticed, too, and cannot run here: one who notices is enough.
	Unable []string `json:"unable,omitempty"`
	// Note is for people.
	Note string `json:"note,omitempty"`
	// Problem is why the trial says nothing; it is done again when the proof is gone
	// on with.
	Problem string `json:"problem,omitempty"`
	// Evidence is a folder relative to the record's.
	Evidence string `json:"evidence,omitempty"`
}

// left are the trials that have no verdict.
func (r Record) left() []Trial {
	return slices.DeleteFunc(slices.Clone(r.Trials), func(t Trial) bool { return r.has(t.ID) })
}

// has tells whether a trial has a verdict.
func (r Record) has(id string) bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.ID == id && x.Problem == "" })
}

// with is the record with a result, in place of an earlier one of the same trial.
func (r Record) with(x Result) Record {
	r.Results = append(slices.DeleteFunc(slices.Clone(r.Results), func(y Result) bool { return y.ID == x.ID }), x)
	r.Verdict = r.verdict()
	return r
}

// Shown counts the trials that show what they should.
func (r Record) Shown() int {
	n := 0
	for _, x := range r.Results {
		if x.Shown && x.Problem == "" {
			n++
		}
	}
	return n
}

// NotApplicable counts the trials that nobody here could notice.
func (r Record) NotApplicable() int {
	n := 0
	for _, x := range r.Results {
		if x.NotApplicable && x.Problem == "" {
			n++
		}
	}
	return n
}

// Elsewhere are the trials that nobody has noticed only where others, which cannot run here,
// might have; it is empty if any trial was missed by all.
func (r Record) Elsewhere() []string {
	var ids []string
	for _, x := range r.Results {
		switch {
		case x.Shown || x.NotApplicable || x.Problem != "":
		case len(x.Unable) == 0:
			return nil
		default:
			ids = append(ids, x.ID)
		}
	}
	return ids
}

// Untried counts the trials that are missing in parts of a proof that were put together.
func (r Record) Untried() int {
	if r.Rest || len(r.Only) > 0 || r.Shard != (Shard{}.String()) {
		return 0
	}
	return max(0, r.All-len(r.Trials))
}

// Without are the watchers that have noticed nothing.
func (r Record) Without() []string {
	return slices.DeleteFunc(slices.Clone(r.Watchers), func(w string) bool {
		return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Problem == "" && slices.Contains(x.By, w) })
	})
}

// quiet are those that must notice a trial and are watchers that have noticed nothing.
func (r Record) quiet(t Trial) []string {
	without := r.Without()
	return slices.DeleteFunc(slices.Clone(t.Must), func(id string) bool { return !slices.Contains(without, id) })
}

// needed is the record without the trials that were shown elsewhere, and by now need not be
// done for quiet ones either.
func (r Record) needed() Record {
	r.Trials = slices.DeleteFunc(slices.Clone(r.Trials), func(t Trial) bool {
		return t.Elsewhere && !r.has(t.ID) && len(r.quiet(t)) == 0
	})
	r.Verdict = r.verdict()
	return r
}

// verdict: what was not noticed counts also where trials are left, or do not apply.
func (r Record) verdict() schema.Verdict {
	unknown := len(r.left()) + r.NotApplicable() + r.Untried()
	switch {
	case r.Shown()+unknown < len(r.Trials)+r.Untried():
		return schema.Failed
	case unknown > 0:
		return schema.Incomplete
	default:
		return schema.Passed
	}
}

// fits says why a record cannot be gone on with as asked.
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
		what = "one of them is the rest of what was done elsewhere"
	case !r.Rest && !reflect.DeepEqual(r.Trials, want.Trials):
		what = fmt.Sprintf("its trials are %v, not %v, or must be noticed by others", IDs(r.Trials), IDs(want.Trials))
	default:
		return nil
	}
	return fmt.Errorf("%w: %s: go on with what began it, or begin anew without --resume", ErrAnother, what)
}

// differs says what makes two records those of different proofs, or nothing.
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

// ErrAnother: the record in the report directory is not that of the proof that is to be
// gone on with.
var ErrAnother = errors.New("the proof in the report directory is another one")

// orAll is what a selection of trials means.
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
		return fmt.Errorf("record what the proof came to: %w", err)
	}
	return nil
}

// load reads the record in a directory.
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
