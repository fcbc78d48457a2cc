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

package combined

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/explore"
	"github.com/dra-conformance/dratest/framework/problem/oracle"
	"github.com/dra-conformance/dratest/framework/prove/components"
)

func TestOperators(t *testing.T) {
	const source = `package p

func f(a, b int, q *int) int {
	for i := 0; i < a; i++ {
		if a > 0 && b > limit || q != nil {
			continue
		}
		switch {
		case a == b:
			break
		}
		x.count -= a
		x.last = b
		restore(a)
	}
	return unschedulable(logger, "text", "key", a)
}
`
	found, err := candidatesIn("allocator/some_file.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range found {
		e := c.Edits[0]
		if source[e.At:e.At+len(e.Find)] != e.Find || !strings.HasPrefix(c.ID, "scheduler-some-file-") {
			t.Errorf("%s is not at %d: %q", c.ID, e.At, e.Find)
		}
		got = append(got, c.Operator+": "+e.Find+" => "+strings.Join(strings.Fields(e.Replace), " "))
	}
	want := []string{
		"off-by-one: i < a => (i < a || ON && i == a)",
		"compared-by-text: i < a => (ON && dratestmutant.Text(i) < dratestmutant.Text(a) || !ON && i < a)",
		"condition-dropped: a > 0 && b > limit => (!ON && (a > 0 && b > limit))",
		"condition-dropped: a > 0 => (ON || (a > 0))",
		"off-by-one: a > 0 => (a > 0 || ON && a == 0)",
		"condition-dropped: b > limit => (ON || (b > limit))",
		"off-by-one: b > limit => (b > limit || ON && b == limit)",
		"compared-by-text: b > limit => (ON && dratestmutant.Text(b) > dratestmutant.Text(limit) || !ON && b > limit)",
		"loop-scope: continue => if ON { break } continue",
		"condition-dropped: a == b => (!ON && (a == b))",
		"not-rolled-back: x.count -= a => if !ON { x.count -= a }",
		"stale: x.last = b => if !ON { x.last = b }",
		"not-rolled-back: restore(a) => if !ON { restore(a) }",
		`error-of-one-for-all: unschedulable(logger, "text", "key", a) => dratestmutant.Either(ON, failed(logger, dratestmutant.Error("text")), unschedulable(logger, "text", "key", a))`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The drawn mutants are built into one scheduler.
func TestDraw(t *testing.T) {
	all, err := Candidates(os.DirFS("../../../implementation"))
	if err != nil {
		t.Fatal(err)
	}
	drawn := Draw(all, 55, 200)
	ids, operators := map[string]bool{}, map[string]int{}
	for i, c := range drawn {
		ids[c.ID] = true
		operators[c.Operator]++
		if slices.ContainsFunc(drawn[:i], c.overlaps) {
			t.Errorf("%s changes the text of another mutant", c.ID)
		}
	}
	if len(ids) != 200 || len(operators) != 7 {
		t.Errorf("%d mutants of %v", len(ids), operators)
	}
	if again := Draw(all, 55, 200); again[199].ID != drawn[199].ID {
		t.Errorf("%s in place of %s", again[199].ID, drawn[199].ID)
	}
	if _, err := components.Overlay(os.DirFS("../../.."), Mutants(drawn)); err != nil {
		t.Error(err)
	}
}

func TestJudge(t *testing.T) {
	finding := explore.Summary{Findings: []explore.Finding{{Violations: []oracle.Violation{{Promise: "kep/a"}, {Promise: "kep/a"}}}}}
	for name, tc := range map[string]struct {
		id       string
		summary  explore.Summary
		crashed  bool
		detected bool
		by       string
		problem  bool
	}{
		"a finding":                {"scheduler-x", finding, false, true, "kep/a", false},
		"nothing":                  {"scheduler-x", explore.Summary{}, false, false, "", false},
		"a pod that was not tried": {"scheduler-x", explore.Summary{Troubles: []string{"problem 1: no"}}, false, true, "not-tried", false},
		"a crash":                  {"scheduler-x", explore.Summary{}, true, true, "crash", false},
		"sound":                    {sound, explore.Summary{}, false, true, "", false},
		"a finding without mutant": {sound, finding, false, true, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := judge(tc.id, tc.summary, tc.crashed)
			if f.Detected != tc.detected || strings.Join(f.By, " ") != tc.by || (f.Problem != "") != tc.problem {
				t.Errorf("%+v", f)
			}
		})
	}
}
