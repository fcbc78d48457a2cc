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
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// fake does trials at once.
type fake struct {
	tried   []string
	quiet   []string
	during  map[string]func()
	found   map[string]Finding // others are shown
	errs    map[string]error
	openErr error
	closed  []bool
	resumed bool
	dirs    []string
}

func (f *fake) Open(_ context.Context, resumed bool) error { f.resumed = resumed; return f.openErr }
func (f *fake) Close(_ context.Context, over bool) error {
	f.closed = append(f.closed, over)
	return nil
}

func (f *fake) Try(_ context.Context, t Trial, dir string) (Finding, error) {
	f.tried = append(f.tried, t.ID)
	f.quiet = append(f.quiet, t.ID+": "+strings.Join(t.Quiet, ","))
	if _, err := os.Stat(dir); err == nil {
		f.dirs = append(f.dirs, dir)
	}
	if do := f.during[t.ID]; do != nil {
		do()
	}
	if found, ok := f.found[t.ID]; ok {
		return found, f.errs[t.ID]
	}
	return Finding{Detected: true, By: t.Must}, f.errs[t.ID]
}

func proofOf(names ...string) Proof {
	p := Proof{Name: "things", Keyword: "noticed"}
	for _, n := range names {
		p.Trials = append(p.Trials, Trial{ID: n, What: "break " + n, Must: []string{"case/" + n}})
	}
	return p
}

// do runs a proof and returns its last line.
func do(ctx context.Context, p Proof, f *fake, o Options) (Record, string, error) {
	var out strings.Builder
	o.Out = &out
	record, err := Run(ctx, p, f, o)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return record, lines[len(lines)-1], err
}

func TestAProofThatWasInterruptedIsGoneOnWith(t *testing.T) {
	p, o := proofOf("a", "b", "c"), Options{Config: testbed.Config{ReportDir: t.TempDir()}}
	ctx, interrupt := context.WithCancel(t.Context())
	first := &fake{during: map[string]func(){"b": interrupt}, errs: map[string]error{"b": errors.New("ended in the middle")}}
	record, line, err := do(ctx, p, first, o)
	if !errors.Is(err, context.Canceled) || record.Verdict != schema.Incomplete || line != "things: noticed=1 total=3" {
		t.Errorf("got %v, %s, %q", err, record.Verdict, line)
	}
	if !slices.Equal(first.closed, []bool{false}) {
		t.Errorf("closed %v", first.closed)
	}

	o.Resume = true
	second := &fake{}
	record, line, err = do(t.Context(), p, second, o)
	if err != nil || record.Verdict != schema.Passed || line != "things: noticed=3 total=3" {
		t.Errorf("got %v, %s, %q", err, record.Verdict, line)
	}
	if diff := cmp.Diff([]string{"b", "c"}, second.tried); diff != "" || !second.resumed || !slices.Equal(second.closed, []bool{true}) {
		t.Errorf("resumed: %t, closed %v, tried (want -, got +):\n%s", second.resumed, second.closed, diff)
	}

	// With nothing left, nothing is brought up.
	third := &fake{openErr: errors.New("must not be opened")}
	if record, _, err = do(t.Context(), p, third, o); err != nil || record.Verdict != schema.Passed || len(third.closed) > 0 {
		t.Errorf("got %v, %s, closed %v", err, record.Verdict, third.closed)
	}
}

// A killed process does nothing more: only data on disk counts.
func TestEachResultIsOnDiskBeforeTheNextTrial(t *testing.T) {
	p, dir := proofOf("a", "b"), t.TempDir()
	var killed []byte
	f := &fake{during: map[string]func(){"b": func() { killed, _ = os.ReadFile(filepath.Join(dir, RecordFile)) }}}
	if _, _, err := do(t.Context(), p, f, Options{Config: testbed.Config{ReportDir: dir}}); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, RecordFile), killed, 0o600); err != nil {
		t.Fatal(err)
	}
	// Leftovers of the killed trial must not be mistaken for the next attempt's.
	if err := os.MkdirAll(filepath.Join(other, "b", "evidence"), 0o755); err != nil {
		t.Fatal(err)
	}
	again := &fake{}
	record, _, err := do(t.Context(), p, again, Options{Config: testbed.Config{ReportDir: other}, Resume: true})
	if err != nil || record.Verdict != schema.Passed || !slices.Equal(again.tried, []string{"b"}) || len(again.dirs) > 0 {
		t.Errorf("got %v, %s, tried %v, found %v", err, record.Verdict, again.tried, again.dirs)
	}
	// Without --resume it begins anew.
	anew := &fake{}
	if _, _, err := do(t.Context(), p, anew, Options{Config: testbed.Config{ReportDir: other}}); err != nil || len(anew.tried) != 2 {
		t.Errorf("got %v, tried %v", err, anew.tried)
	}
}

func TestVerdicts(t *testing.T) {
	broken := errors.New("the cluster went away")
	for _, row := range []struct {
		name    string
		fake    fake
		verdict schema.Verdict
		line    string
		err     error
		tried   int
	}{
		{"all", fake{}, schema.Passed, "things: noticed=2 total=2", nil, 2},
		{"one is not noticed", fake{found: map[string]Finding{"a": {Missed: []string{"case/a"}}}}, schema.Failed, "things: noticed=1 total=2", nil, 2},
		{"one does not apply", fake{found: map[string]Finding{"a": {NotApplicable: true}}}, schema.Incomplete, "things: noticed=1 total=2", nil, 2},
		{"one does not apply, one is not noticed", fake{found: map[string]Finding{"a": {NotApplicable: true}, "b": {}}}, schema.Failed, "things: noticed=0 total=2", nil, 2},
		{"one says nothing", fake{found: map[string]Finding{"a": {Detected: true, Problem: "no answer"}}}, schema.Incomplete, "things: noticed=1 total=2", nil, 2},
		{"not noticed, then trouble", fake{found: map[string]Finding{"a": {}}, errs: map[string]error{"b": broken}}, schema.Failed, "things: noticed=0 total=2", broken, 2},
		{"trouble", fake{errs: map[string]error{"a": broken}}, schema.Incomplete, "things: noticed=0 total=2", broken, 1},
		{"no cluster", fake{openErr: broken}, schema.Incomplete, "things: noticed=0 total=2", broken, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := row.fake
			record, line, err := do(t.Context(), proofOf("a", "b"), &f, Options{Config: testbed.Config{ReportDir: t.TempDir()}})
			if record.Verdict != row.verdict || line != row.line || !errors.Is(err, row.err) || len(f.tried) != row.tried {
				t.Errorf("got %s, %q, %v, tried %v", record.Verdict, line, err, f.tried)
			}
			if over := len(record.left()) == 0 && row.err == nil; !slices.Equal(f.closed, []bool{over}) {
				t.Errorf("closed %v", f.closed)
			}
		})
	}
}

func TestTrialsThatSaidNothingAreDoneAgain(t *testing.T) {
	p, o := proofOf("a", "b"), Options{Config: testbed.Config{ReportDir: t.TempDir()}}
	if _, _, err := do(t.Context(), p, &fake{found: map[string]Finding{"a": {Problem: "no answer"}}}, o); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	f := &fake{}
	record, line, err := do(t.Context(), p, f, o)
	if err != nil || line != "things: noticed=2 total=2" || !slices.Equal(f.tried, []string{"a"}) || len(record.Results) != 2 {
		t.Errorf("got %v, %q, tried %v, results %v", err, line, f.tried, record.Results)
	}
}

func TestAnotherProofIsNotGoneOnWith(t *testing.T) {
	p := proofOf("a", "b")
	begun := Options{Config: testbed.Config{ReportDir: t.TempDir()}, Suite: schema.Suite{Version: "v1", Commit: "aaa"}}
	if _, _, err := do(t.Context(), p, &fake{}, begun); err != nil {
		t.Fatal(err)
	}
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, RecordFile), []byte(`{"schemaVersion": "0", "more": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	renamed, elsewhere := proofOf("a", "b"), proofOf("a", "b")
	renamed.Name, elsewhere.Where = "others", "another cluster"
	for _, row := range []struct {
		name    string
		proof   Proof
		change  func(*Options)
		message string
	}{
		{"suite", p, func(o *Options) { o.Suite.Commit = "bbb" }, "begun by dratest v1 of commit aaa, this is v1 of commit bbb"},
		{"source", p, func(o *Options) { o.Suite.Modified = true }, "with changes"},
		{"proof", renamed, func(*Options) {}, "proof of things, not of others"},
		{"cluster", elsewhere, func(*Options) {}, "not on another cluster"},
		{"trials", proofOf("a", "b", "c"), func(*Options) {}, "not [a b c]"},
		{"fewer trials", p, func(o *Options) { o.Only = []string{"a"} }, "not for [a]"},
		{"shard", p, func(o *Options) { o.Shard = Shard{1, 2} }, "shard 1/1, not 1/2"},
		{"nothing", p, func(o *Options) { o.ReportDir = t.TempDir() }, "begin without --resume"},
		{"schema", p, func(o *Options) { o.ReportDir = old }, `schema version "0"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := begun
			o.Resume = true
			row.change(&o)
			f := &fake{}
			_, _, err := do(t.Context(), row.proof, f, o)
			if !errors.Is(err, ErrAnother) || !strings.Contains(err.Error(), row.message) || len(f.tried) > 0 {
				t.Errorf("got %v, tried %v", err, f.tried)
			}
		})
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	unlock, err := reports.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, _, err := do(t.Context(), proofOf("a"), &fake{}, Options{Config: testbed.Config{ReportDir: dir}}); !errors.Is(err, reports.ErrInUse) {
		t.Errorf("got %v", err)
	}
}

func TestShardsShareTheTrialsOut(t *testing.T) {
	all := proofOf("a", "b", "c", "d", "e", "f", "g").Trials
	for of := 1; of <= len(all); of++ {
		seen := map[string]int{}
		for number := 1; number <= of; number++ {
			part, err := Select(all, nil, Shard{number, of})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(part); n < len(all)/of || n > len(all)/of+1 {
				t.Errorf("shard %d/%d has %d of %d trials", number, of, n, len(all))
			}
			for _, x := range part {
				seen[x.ID]++
			}
		}
		for _, x := range all {
			if seen[x.ID] != 1 {
				t.Errorf("of %d shards %d have trial %s", of, seen[x.ID], x.ID)
			}
		}
	}
}

func TestNear(t *testing.T) {
	all := []string{"api-a", "api-b", "kubelet-a"}
	for i := range 20 {
		all = append(all, fmt.Sprintf("scheduler-%d", i))
	}
	for id, want := range map[string]string{
		"api-c":       "api-a, api-b or 21 others",
		"kubelet":     "kubelet-a or 22 others",
		"scheduler-x": "scheduler-0, scheduler-1, scheduler-2, scheduler-3, scheduler-4, scheduler-5, scheduler-6, scheduler-7, scheduler-8, scheduler-9 or 13 others",
	} {
		if got := near(id, all); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}

func TestSelect(t *testing.T) {
	all := proofOf("a", "b", "c", "d").Trials
	for _, row := range []struct {
		name    string
		only    []string
		shard   string
		want    string
		message string
	}{
		{"all", nil, "", "a b c d", ""},
		{"some, in the proof's order", []string{"d", "b"}, "", "b d", ""},
		{"a shard of some", []string{"d", "b", "a"}, "2/2", "b", ""},
		{"those of a pattern", []string{"[bd]*"}, "", "b d", ""},
		{"a pattern that is none", []string{"["}, "", "", "syntax error in pattern"},
		{"unknown", []string{"x"}, "", "", `no trial "x": use some of a, b, c, d`},
		{"no trial left", []string{"a"}, "2/2", "", "has none of the 1 trials"},
		{"no number", nil, "1", "", "not like 1/2"},
		{"beyond", nil, "3/2", "", "not like 1/2"},
		{"zero", nil, "0/2", "", "not like 1/2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			shard, err := ParseShard(row.shard)
			var found []Trial
			if err == nil {
				found, err = Select(all, row.only, shard)
			}
			if row.message != "" {
				if err == nil || !strings.Contains(err.Error(), row.message) {
					t.Errorf("got %v", err)
				}
				return
			}
			if got := strings.Join(IDs(found), " "); err != nil || got != row.want {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestWatchersThatNoticeNothingAreCounted(t *testing.T) {
	p := proofOf("a", "b")
	p.Observers = []string{"case/a", "case/b", "case/c"}
	found := &fake{found: map[string]Finding{"a": {Detected: true, By: []string{"case/a"}}, "b": {By: []string{"case/b"}, Missed: []string{"case/c"}}}}
	record, line, err := do(t.Context(), p, found, Options{Config: testbed.Config{ReportDir: t.TempDir()}})
	if err != nil || line != "things: noticed=1 total=2 cases-without=1" {
		t.Errorf("got %q, %v", line, err)
	}
	if got := record.Without(); len(got) != 1 || got[0] != "case/c" {
		t.Errorf("got %v", got)
	}
}

func TestProversAreToldWhoIsQuiet(t *testing.T) {
	p := proofOf("a", "b", "c")
	p.Observers = []string{"case/1", "case/2"}
	for i := range p.Trials {
		p.Trials[i].Must = []string{"case/1", "case/2", "case/other"}
	}
	o := Options{Config: testbed.Config{ReportDir: t.TempDir()}}
	ctx, interrupt := context.WithCancel(t.Context())
	first := &fake{found: map[string]Finding{"a": {Detected: true, By: []string{"case/1"}}}, during: map[string]func(){"b": interrupt}}
	_, _, _ = do(ctx, p, first, o)
	o.Resume = true
	second := &fake{found: map[string]Finding{"b": {Detected: true, By: []string{"case/2"}}}}
	if _, line, err := do(t.Context(), p, second, o); err != nil || line != "things: noticed=3 total=3 cases-without=0" {
		t.Errorf("got %q, %v", line, err)
	}
	if diff := cmp.Diff([]string{"a: case/1,case/2", "b: case/2"}, first.quiet); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b: case/2", "c: "}, second.quiet); diff != "" {
		t.Errorf("after it was gone on with, want -, got +:\n%s", diff)
	}
}

func TestTrialsAreFolders(t *testing.T) {
	for _, names := range [][]string{{"a", "a"}, {"a/b"}, {".."}, {""}} {
		if _, _, err := do(t.Context(), proofOf(names...), &fake{}, Options{Config: testbed.Config{ReportDir: t.TempDir()}}); err == nil {
			t.Errorf("%q: no error", names)
		}
	}
}
