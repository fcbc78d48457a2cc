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

package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/certify"
	"github.com/dra-conformance/dratest/framework/testbed"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites"
)

func TestEachBugIsATrialOfCasesThatThereAre(t *testing.T) {
	p := Proof()
	if len(p.Trials) == 0 {
		t.Error("there are no trials")
	}
	for _, trial := range p.Trials {
		for _, id := range trial.Must {
			found := false
			for _, c := range certify.Cases(suites.All()) {
				found = found || c.ID == id && c.Needs.DriverPods
			}
			if !found {
				t.Errorf("bug %s is about case %s, which there is not for drivers that are installed", trial.ID, id)
			}
		}
	}
}

// TestEachCaseHasABug: it must be proven to be able to fail, or have a reason.
func TestEachCaseHasABug(t *testing.T) {
	var killed []string
	for _, trial := range Proof().Trials {
		killed = append(killed, trial.Must...)
	}
	n := 0
	for _, c := range certify.Cases(suites.All()) {
		if c.Area() != "life" || c.NoMutant != "" {
			continue
		}
		if n++; !slices.Contains(killed, c.ID) {
			t.Errorf("no bug makes %s fail", c.ID)
		}
	}
	if n == 0 {
		t.Error("there are no cases of life")
	}
}

// TestBugThatLeavesSomethingInItsCluster: a driver unable to read its previous release's checkpoint never unprepares that
// release's claims, and the whole proof ended there.
func TestBugThatLeavesSomethingInItsCluster(t *testing.T) {
	left := fmt.Errorf("remove what cases left: %w, look at their pods", testbed.ErrLeft)
	for name, tc := range map[string]struct {
		mutant string
		err    error
		want   bool
	}{
		"all is gone":        {"bug", nil, false},
		"left by a bug":      {"bug", errors.Join(certify.ErrDriver, left), true},
		"left without a bug": {"", left, false},
		"no cluster":         {"bug", certify.ErrNotThere, false},
	} {
		if got := leavesBehind(tc.mutant, tc.err); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestJudge(t *testing.T) {
	came := func(a, b string) schema.Certificate {
		return schema.Certificate{Cases: map[string]string{"life/a": a, "life/b": b}}
	}
	for name, tc := range map[string]struct {
		with, without     schema.Certificate
		detected, problem bool
		missed            int
	}{
		"both notice":        {came("Failed", "Failed"), came("Passed", "Passed"), true, false, 0},
		"one does not":       {came("Failed", "Passed"), came("Passed", "Passed"), false, false, 1},
		"blocked is no kill": {came("Blocked", "Failed"), came("Passed", "Passed"), false, false, 1},
		"fails without":      {came("Failed", "Failed"), came("Failed", "Passed"), false, true, 0},
		"did not run":        {came("Failed", "Failed"), came("", "Passed"), false, true, 0},
	} {
		f := judge([]string{"life/a", "life/b"}, tc.with, tc.without)
		if f.Detected != tc.detected || (f.Problem != "") != tc.problem || len(f.Missed) != tc.missed {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
