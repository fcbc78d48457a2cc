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

// Diff lists the differences between reports A and B.
type Diff struct {
	// Notes explain limits of the comparison.
	Notes []string `json:"notes,omitempty"`
	// Changed are cases with another result, including cases missing from one suite.
	Changed []Change `json:"changed,omitempty"`
	Slower  []Slower `json:"slower,omitempty"`
	// Verdicts are the differing verdicts of certifications, on the driver and on its profiles.
	Verdicts []Verdict `json:"verdicts,omitempty"`
	// Configuration compares the configurations under test.
	Configuration []Field `json:"configuration,omitempty"`
	// Worse is true if any case got worse or slower.
	Worse bool `json:"worse"`
}

// Change is a case with another result.
type Change struct {
	Case string `json:"case"`
	// A and B are empty if the suite lacks the case.
	A schema.CaseResult `json:"a,omitempty"`
	B schema.CaseResult `json:"b,omitempty"`
	// Reason is B's reason.
	Reason string `json:"reason,omitempty"`
	Worse  bool   `json:"worse"`
}

// Verdict is a changed verdict of a certification.
type Verdict struct {
	// Name is "certificate" or a profile.
	Name string `json:"name"`
	// A and B are empty if there is none.
	A     schema.DriverVerdict `json:"a,omitempty"`
	B     schema.DriverVerdict `json:"b,omitempty"`
	Worse bool                 `json:"worse"`
}

// Slower is a case with all passing attempts in B slower than any in A.
type Slower struct {
	Case string `json:"case"`
	// A is the slowest passing attempt, B the fastest one, in seconds.
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// A case is slower if it exceeds both thresholds. Anything less is noise: cases share a machine.
const (
	slowerTimes   = 2
	slowerSeconds = 10
)

// Compare returns the differences of b from a.
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
	d.certificates(a.Certificate, b.Certificate)
	d.Worse = len(d.Slower) > 0 || slices.ContainsFunc(d.Verdicts, func(v Verdict) bool { return v.Worse }) || slices.ContainsFunc(d.Changed, func(c Change) bool { return c.Worse })
	var err error
	d.Configuration, err = Fields(configurationOf(a), configurationOf(b))
	return d, err
}

// certificates compares the verdicts of two certifications. Any other report has none.
func (d *Diff) certificates(a, b *schema.Certificate) {
	if a == nil || b == nil {
		return
	}
	add := func(name string, a, b schema.DriverVerdict) {
		if a != b {
			d.Verdicts = append(d.Verdicts, Verdict{name, a, b, slices.Index(verdicts(), b) > slices.Index(verdicts(), a)})
		}
	}
	add("certificate", a.Verdict, b.Verdict)
	for _, p := range spec.DriverProfiles() {
		add("profile "+string(p), a.Profiles[p], b.Profiles[p])
	}
}

// verdicts returns the verdicts, best first. A profile without a verdict shows nothing.
func verdicts() []schema.DriverVerdict {
	return []schema.DriverVerdict{schema.DriverCertified, "", schema.DriverIncomplete, schema.DriverNotCertified}
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
	was, is := Passing(a), Passing(b)
	if len(was) == 0 || len(is) == 0 {
		return
	}
	if Grew(was, is) {
		d.Slower = append(d.Slower, Slower{id, slices.Max(was), slices.Min(is)})
	}
}

// Grew reports whether all durations in b are longer than all in a, beyond noise.
func Grew(a, b []float64) bool {
	slowest, fastest := slices.Max(a), slices.Min(b)
	return fastest > slowest*slowerTimes && fastest > slowest+slowerSeconds
}

// Passing returns the durations of passing attempts (including known issues), in seconds.
func Passing(c schema.ConformanceCase) []float64 {
	var seconds []float64
	for _, a := range c.Attempts {
		if a.Status.Ended() {
			seconds = append(seconds, a.DurationSeconds)
		}
	}
	return seconds
}

// rank orders results: higher is worse. A missing verdict is worse than an excused failure.
func rank(r schema.CaseResult) int {
	switch r {
	case schema.CasePassed:
		return 0
	case schema.CaseKnownIssue:
		return 1
	case schema.CaseWarning:
		return 2
	case schema.CaseFailed, schema.CaseExpectedFailure:
		return 4
	default:
		return 3
	}
}
