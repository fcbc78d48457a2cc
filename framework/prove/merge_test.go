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
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestShardsAreMerged(t *testing.T) {
	p := proofOf("a", "b", "c")
	var dirs []string
	for number := 1; number <= 2; number++ {
		o := Options{Config: testbed.Config{ReportDir: t.TempDir()}, Shard: Shard{number, 2}}
		if _, _, err := do(t.Context(), p, &fake{found: map[string]Finding{"b": {Missed: []string{"case/b"}}}}, o); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, o.ReportDir)
	}
	whole, err := Merge(dirs)
	if err != nil || whole.Verdict != schema.Failed || whole.Detected() != 2 || len(whole.Trials) != 3 || whole.Shard != "1/1" {
		t.Errorf("got %+v, %v", whole, err)
	}
	var out strings.Builder
	whole.Print(&out)
	if !strings.HasSuffix(out.String(), "\nthings: noticed=2 total=3\n") {
		t.Errorf("got %s", out.String())
	}
	for _, some := range [][]string{nil, dirs[:1], {dirs[0], dirs[0]}, {dirs[0], t.TempDir()}} {
		if _, err := Merge(some); !errors.Is(err, ErrAnother) {
			t.Errorf("%d records: got %v", len(some), err)
		}
	}
}

func TestShardsOfOtherProofsAreNotMerged(t *testing.T) {
	one := Record{Proof: "things", Where: "here", Shard: "1/2", Suite: schema.Suite{Commit: "aaa"}}
	for name, change := range map[string]func(*Record){
		"proof":  func(r *Record) { r.Proof = "others" },
		"suite":  func(r *Record) { r.Suite.Commit = "bbb" },
		"where":  func(r *Record) { r.Where = "there" },
		"number": func(r *Record) { r.Shard = "2/3" },
		"trials": func(r *Record) { r.Only = []string{"a"} }, // a complete proof would lack some
	} {
		other := one
		other.Shard = "2/2"
		if _, err := merge([]Record{one, other}); err != nil {
			t.Fatal(err)
		}
		change(&other)
		if _, err := merge([]Record{one, other}); !errors.Is(err, ErrAnother) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// part runs trials of a proof on a cluster, and returns the directory of its record.
func part(t *testing.T, p Proof, where string, f *fake, only ...string) (dir, line string) {
	t.Helper()
	p.Where = where
	o := Options{Config: testbed.Config{ReportDir: t.TempDir()}, Only: only}
	_, line, err := do(t.Context(), p, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return o.ReportDir, line
}

func TestPartsOfSeveralClustersAreMerged(t *testing.T) {
	p := proofOf("a1", "a2", "b", "c")
	p.Observers = []string{"case/a1", "case/a2", "case/b", "case/other"}
	for i := range p.Trials {
		p.Trials[i].Must = append(p.Trials[i].Must, "case/other")
	}
	here, line := part(t, p, "here", &fake{found: map[string]Finding{"a1": {NotApplicable: true}, "a2": {Detected: true, By: []string{"case/a2"}}}}, "a*")
	if line != "things: noticed=1 total=2 cases-without=3" {
		t.Errorf("got %q", line)
	}
	there, _ := part(t, p, "there", &fake{found: map[string]Finding{"a1": {Detected: true, By: []string{"case/a1"}}, "b": {Missed: []string{"case/b"}}}}, "a1", "b")
	some, err := Merge([]string{here, there})
	if err != nil || some.Untried() != 1 || some.Verdict != schema.Failed {
		t.Errorf("got %+v, %v", some, err)
	}
	rest, err := Rest(p, schema.Suite{}, []string{here, there})
	if err != nil {
		t.Fatal(err)
	}
	// a1 and a2 are repeated until case/other has detected something.
	last := &fake{found: map[string]Finding{
		"a1": {Missed: []string{"case/other"}}, "a2": {Detected: true, By: []string{"case/other"}}, "b": {Detected: true, By: []string{"case/b"}}, "c": {Detected: true, By: []string{"case/c"}},
	}}
	end, line := part(t, rest, "here", last)
	if diff := cmp.Diff([]string{"a1: case/other", "a2: case/other", "b: case/b", "c: "}, last.quiet); diff != "" || line != "things: noticed=3 total=4 cases-without=0" {
		t.Errorf("%q, want -, got +:\n%s", line, diff)
	}
	whole, err := Merge([]string{here, there, end})
	var out strings.Builder
	whole.Print(&out)
	if err != nil || whole.Verdict != schema.Passed || !strings.HasSuffix(out.String(), "\nthings: noticed=4 total=4 cases-without=0\n") {
		t.Errorf("%v, %s\n%s", err, whole.Verdict, out.String())
	}
	if _, err := Rest(p, schema.Suite{Commit: "bbb"}, []string{here}); !errors.Is(err, ErrAnother) {
		t.Errorf("of another dratest: %v", err)
	}
	if _, err := Merge([]string{here, here}); !errors.Is(err, ErrAnother) {
		t.Errorf("twice: %v", err)
	}
}

// A trial with All is not detected if on another cluster more observers could run and missed it.
func TestAllMustNoticeOverAllParts(t *testing.T) {
	p := proofOf("a")
	p.Trials[0].All = true
	p.Trials[0].Must = []string{"case/a", "case/b"}
	here, _ := part(t, p, "here", &fake{found: map[string]Finding{"a": {Detected: true, By: []string{"case/a"}}}})
	for name, tc := range map[string]struct {
		there Finding
		want  schema.Verdict
	}{
		"the other, too":     {Finding{Detected: true, By: []string{"case/b"}}, schema.Passed},
		"the other does not": {Finding{Missed: []string{"case/b"}}, schema.Failed},
		"one of both":        {Finding{By: []string{"case/a"}, Missed: []string{"case/b"}}, schema.Failed},
		"it says nothing":    {Finding{Problem: "no answer"}, schema.Passed},
	} {
		there, _ := part(t, p, "there", &fake{found: map[string]Finding{"a": tc.there}})
		for _, dirs := range [][]string{{here, there}, {there, here}} {
			if whole, err := Merge(dirs); err != nil || whole.Verdict != tc.want {
				t.Errorf("%s: got %s, %v", name, whole.Verdict, err)
			}
		}
	}
}

// A trial left for a quiet observer alone is skipped once the observer has detected another one.
func TestRestIsNoMoreThanIsNeeded(t *testing.T) {
	p := proofOf("a", "b")
	p.Observers = []string{"case/quiet"}
	for i := range p.Trials {
		p.Trials[i].Must = append(p.Trials[i].Must, "case/quiet")
	}
	dir, _ := part(t, p, "here", &fake{found: map[string]Finding{"a": {Detected: true}, "b": {Detected: true}}})
	rest, err := Rest(p, schema.Suite{}, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{found: map[string]Finding{"a": {Detected: true, By: []string{"case/quiet"}}}}
	end, line := part(t, rest, "there", f)
	if !slices.Equal(f.tried, []string{"a"}) || line != "things: noticed=1 total=1 cases-without=0" {
		t.Errorf("tried %v: %s", f.tried, line)
	}
	// Nothing is left then, and no cluster is made.
	none := &fake{openErr: errors.New("must not be opened")}
	again, err := Rest(p, schema.Suite{}, []string{dir, end})
	if err != nil {
		t.Fatal(err)
	}
	if _, line := part(t, again, "elsewhere", none); line != "things: noticed=0 total=0" {
		t.Error(line)
	}
}

// The trials left by others may have changed before a part is resumed.
func TestRestIsGoneOnWith(t *testing.T) {
	p := proofOf("a", "b", "c")
	dir, _ := part(t, p, "here", &fake{found: map[string]Finding{"a": {}, "b": {}}})
	rest, err := Rest(p, schema.Suite{}, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Config: testbed.Config{ReportDir: t.TempDir()}}
	ctx, interrupt := context.WithCancel(t.Context())
	_, _, _ = do(ctx, rest, &fake{during: map[string]func(){"b": interrupt}}, o)
	changed, _ := part(t, p, "here", &fake{found: map[string]Finding{"a": {}, "c": {}}})
	if rest, err = Rest(p, schema.Suite{}, []string{changed}); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	f := &fake{}
	if _, line, err := do(t.Context(), rest, f, o); err != nil || line != "things: noticed=2 total=2" || !slices.Equal(f.tried, []string{"c"}) {
		t.Errorf("%v, %s, tried %v", err, line, f.tried)
	}
	if _, _, err := do(t.Context(), p, f, o); !errors.Is(err, ErrAnother) {
		t.Errorf("as a whole: %v", err)
	}
}
