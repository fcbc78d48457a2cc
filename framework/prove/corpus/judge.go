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

package corpus

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// State is the detection state of a bug.
type State string

// States of bugs.
const (
	// Detected: a case or check fails because of the bug.
	Detected State = "detected"
	// Missed: nothing detects the bug.
	Missed State = "missed"
	// NotYet: the bug was not tried.
	NotYet State = "not yet"
	// NotApplicable: no test of a cluster or driver could show the bug.
	NotApplicable State = "not applicable"
)

// Evidence is a trial of bugs, or a known issue or check about them.
type Evidence struct {
	// Issues are the issues and pull requests of the bugs, as in Bug or with "kubernetes/kubernetes#1".
	Issues []string
	// What names the evidence: a mutant, "known issue" or "check".
	What string
	// By lists the cases and checks failing because of the bugs; none if the trial was not detected.
	By []string
}

// Verdict is the state of a bug, with its evidence.
type Verdict struct {
	Bug

	State State
	// Evidence has the detections of a detected bug, and the trials of a missed one.
	Evidence []Evidence
}

// Judge returns the verdicts on all bugs.
func Judge(bugs []Bug, all []Evidence) []Verdict {
	verdicts := make([]Verdict, 0, len(bugs))
	for _, b := range bugs {
		v := Verdict{Bug: b, State: NotYet, Evidence: b.of(all)}
		failing := slices.DeleteFunc(slices.Clone(v.Evidence), func(e Evidence) bool { return len(e.By) == 0 })
		switch {
		case len(failing) > 0:
			v.State, v.Evidence = Detected, failing
		case b.NotApplicable != "":
			v.State = NotApplicable
		case len(v.Evidence) > 0 || b.Missed != "":
			v.State = Missed
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// of returns the evidence for the bug.
func (b Bug) of(all []Evidence) []Evidence {
	names := b.Names()
	return slices.DeleteFunc(slices.Clone(all), func(e Evidence) bool {
		return !slices.ContainsFunc(e.Issues, func(issue string) bool {
			if number, ok := strings.CutPrefix(issue, "kubernetes/kubernetes#"); ok {
				issue = "kubernetes#" + number
			}
			return slices.Contains(names, issue)
		})
	})
}

// Print writes a line per bug, and a last line for programs.
func Print(out io.Writer, verdicts []Verdict) {
	for _, v := range verdicts {
		_, _ = fmt.Fprintf(out, "%-8s %s %s: %s\n", v.State, v.Component, v.ID, v.What)
		for _, e := range v.Evidence {
			_, _ = fmt.Fprintf(out, "         %s\n", strings.TrimSuffix(e.What+" by "+strings.Join(e.By, ", "), " by "))
		}
		if reason := v.Missed + v.NotApplicable; reason != "" && v.State != Detected {
			_, _ = fmt.Fprintf(out, "         %s\n", reason)
		}
	}
	_, _ = fmt.Fprintf(out, "corpus: detected=%d missed=%d not-yet=%d not-applicable=%d total=%d\n",
		Count(verdicts, Detected), Count(verdicts, Missed), Count(verdicts, NotYet), Count(verdicts, NotApplicable), len(verdicts))
}

// Count returns the number of bugs in a state.
func Count(verdicts []Verdict, state State) int {
	n := 0
	for _, v := range verdicts {
		if v.State == state {
			n++
		}
	}
	return n
}
