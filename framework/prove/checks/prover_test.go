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

package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/drivers/sim/mutants"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/sanity"
)

func TestEachBugIsATrialOfACheckThatThereIs(t *testing.T) {
	metas := sanity.Metas()
	for _, b := range WithCheck() {
		if !slices.ContainsFunc(metas, func(m spec.Meta) bool { return m.ID == b.Check }) {
			t.Errorf("bug %s is about check %s, which there is not", b.ID, b.Check)
		}
	}
	if got := len(Proof().Trials); got != len(WithCheck()) {
		t.Errorf("%d trials for %d bugs", got, len(WithCheck()))
	}
}

// TestEachCheckHasABug checks that each check was proven to fail.
func TestEachCheckHasABug(t *testing.T) {
	for _, m := range sanity.Metas() {
		if !slices.ContainsFunc(WithCheck(), func(b mutants.Mutant) bool { return b.Check == m.ID }) {
			t.Errorf("no bug makes %s fail", m.ID)
		}
	}
}

func TestJudge(t *testing.T) {
	for name, row := range map[string]struct {
		with, without    spec.Status
		detected, missed bool
		problem          bool
	}{
		"killed":                     {with: spec.Failed, without: spec.Passed, detected: true},
		"survived":                   {with: spec.Passed, without: spec.Passed, missed: true},
		"cannot be seen":             {with: spec.NotApplicable, without: spec.Passed, missed: true},
		"good driver fails":          {with: spec.Failed, without: spec.Failed, problem: true},
		"good driver is not checked": {with: spec.Failed, without: spec.NotApplicable, problem: true},
	} {
		f := judge([]spec.Outcome{{ID: "a", Status: row.with}}, []spec.Outcome{{ID: "a", Status: row.without}})
		if f.Detected != row.detected || (len(f.Missed) > 0) != row.missed || (f.Problem != "") != row.problem {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

// Each bug of a pair must be detected.
func TestJudgePair(t *testing.T) {
	good := []spec.Outcome{{ID: "a", Status: spec.Passed}, {ID: "b", Status: spec.Passed}}
	for status, detected := range map[spec.Status]bool{spec.Failed: true, spec.Passed: false, spec.Blocked: false} {
		f := judge([]spec.Outcome{{ID: "a", Status: spec.Failed}, {ID: "b", Status: status}}, good)
		if f.Detected != detected || f.Problem != "" || !slices.Contains(f.By, "a") {
			t.Errorf("second check %s: got %+v", status, f)
		}
	}
}

func TestPairs(t *testing.T) {
	const seed = 54
	one, err := Pairs(30, seed)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Pairs(30, seed)
	other, _ := Pairs(30, seed+1)
	seen := map[string]bool{}
	for i, p := range one.Trials {
		bugs, err := mutants.FindAll(strings.ReplaceAll(p.ID, pairMark, ","))
		if err != nil || len(bugs) != 2 || bugs[0].Check == bugs[1].Check || seen[p.ID] || again.Trials[i].ID != p.ID {
			t.Errorf("pair %d: %s, then %s, %v", i, p.ID, again.Trials[i].ID, err)
		}
		seen[p.ID] = true
	}
	if len(one.Trials) != 30 || slices.EqualFunc(one.Trials, other.Trials, func(a, b prove.Trial) bool { return a.ID == b.ID }) {
		t.Errorf("%d pairs, the same with another seed", len(one.Trials))
	}
	for _, count := range []int{0, 1 << 20} {
		if _, err := Pairs(count, seed); err == nil {
			t.Errorf("%d pairs: no error", count)
		}
	}
}
