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

package diff

import (
	"fmt"
	"slices"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Diff is what differs in report B from report A.
type Diff struct {
	// Notes say what makes the reports hard to compare.
	Notes []string `json:"notes,omitempty"`
	// Changed are the cases that came to something else, with those that only one of the
	// suites has.
	Changed []Change `json:"changed,omitempty"`
	Slower  []Slower `json:"slower,omitempty"`
	// Configuration is what was tested with what.
	Configuration []Field `json:"configuration,omitempty"`
	// Worse is whether a case is, or got slower.
	Worse bool `json:"worse"`
}

// Change is a case that came to something else.
type Change struct {
	Case string `json:"case"`
	// A and B are empty where the suite has no such case.
	A schema.CaseResult `json:"a,omitempty"`
	B schema.CaseResult `json:"b,omitempty"`
	// Reason is the one of B.
	Reason string `json:"reason,omitempty"`
	Worse  bool   `json:"worse"`
}

// Slower is a case of which each attempt took longer in B than any in A.
type Slower struct {
	Case string `json:"case"`
	// A is the slowest attempt that passed, B the fastest one, in seconds.
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// A case is slower if it takes this many times as long and this many seconds longer:
// less is noise, as cases share a machine.
const (
	slowerTimes   = 2
	slowerSeconds = 10
)

// Compare returns what differs in b from a.
func Compare(a, b schema.ConformanceReport) (Diff, error) {
	var d Diff
	if a.Suite.RequiredCases != b.Suite.RequiredCases {
		d.Notes = append(d.Notes, fmt.Sprintf("the suites require different cases: %d in %s, %d in %s", len(a.Cases), a.Suite.Version, len(b.Cases), b.Suite.Version))
	}
	before := map[string]schema.ConformanceCase{}
	for _, c := range a.Cases {
		before[c.ID] = c
	}
	for _, c := range b.Cases {
		d.add(before[c.ID], c)
		delete(before, c.ID)
	}
	for _, c := range a.Cases {
		if _, gone := before[c.ID]; gone {
			d.add(c, schema.ConformanceCase{})
		}
	}
	d.Worse = len(d.Slower) > 0 || slices.ContainsFunc(d.Changed, func(c Change) bool { return c.Worse })
	var err error
	d.Configuration, err = Fields(configurationOf(a), configurationOf(b))
	return d, err
}

func (d *Diff) add(a, b schema.ConformanceCase) {
	id := b.ID
	if id == "" {
		id = a.ID
	}
	if a.Result != b.Result {
		d.Changed = append(d.Changed, Change{Case: id, A: a.Result, B: b.Result, Reason: b.Reason, Worse: rank(b.Result) > rank(a.Result)})
		return
	}
	was, is := passing(a), passing(b)
	if len(was) == 0 || len(is) == 0 {
		return
	}
	slowest, fastest := slices.Max(was), slices.Min(is)
	if fastest > slowest*slowerTimes && fastest > slowest+slowerSeconds {
		d.Slower = append(d.Slower, Slower{id, slowest, fastest})
	}
}

// passing are how long the attempts took that passed, in seconds.
func passing(c schema.ConformanceCase) []float64 {
	var seconds []float64
	for _, a := range c.Attempts {
		if a.Status == spec.Passed || a.Status == spec.Known {
			seconds = append(seconds, a.DurationSeconds)
		}
	}
	return seconds
}

// rank orders what a case can come to: the higher, the worse. What was not shown is worse
// than what was excused.
func rank(r schema.CaseResult) int {
	switch r {
	case schema.CasePassed:
		return 0
	case schema.CaseKnownIssue:
		return 1
	case schema.CaseWarning:
		return 2
	case schema.CaseFailed:
		return 4
	default:
		return 3
	}
}
