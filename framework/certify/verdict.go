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

package certify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Verdict is what a certification came to.
type Verdict string

// The verdicts.
const (
	Certified    Verdict = "certified"
	NotCertified Verdict = "not certified"
	Incomplete   Verdict = "incomplete"
)

// Judgement is a verdict with its reasons.
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	// Failures are what the driver does wrong, Missing what was not shown, Notes what
	// changes no verdict.
	Failures []string `json:"failures,omitempty"`
	Missing  []string `json:"missing,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	// Exercised are the features that the driver has and that a case has used, with the
	// cases.
	Exercised map[spec.DriverFeature][]string `json:"exercised,omitempty"`
	// Profiles says what the cases of each part came to.
	Profiles map[Profile]Verdict `json:"profiles,omitempty"`
	// Costs are what was measured of the driver, with what is declared of it.
	Costs []Cost `json:"costs,omitempty"`
}

// facts are what a judgement is made of.
type facts struct {
	declaration declarations.Declaration
	report      schema.Report
	// exercise says which features a case exercises.
	exercise map[string][]spec.DriverFeature
	observed map[spec.DriverFeature]bool
	// profiles says to which part each case belongs.
	profiles map[string]Profile
	// failures and missing are those that were found beside the cases.
	failures []string
	missing  []string
	// changes are those that others may have made meanwhile.
	changes []string
	// notes are what else is worth knowing.
	notes []string
	today time.Time
}

// judge comes to a verdict. Failures are never outweighed; what is missing keeps a driver
// from being certified; and so does an exception, which only keeps it from having failed.
func judge(f facts) Judgement {
	j := Judgement{Failures: slices.Clone(f.failures), Missing: slices.Clone(f.missing), Exercised: map[spec.DriverFeature][]string{}}
	f.judgeCases(&j)
	f.judgeFeatures(&j)
	j.Profiles = f.judgeProfiles()
	j.Costs = costsOf(f.declaration.Budget, f.measured())
	j.Failures = append(j.Failures, over(f.declaration.Budget, f.measured())...)
	for _, change := range f.changes {
		j.Notes = append(j.Notes, "during the run: "+change)
	}
	j.Notes = append(j.Notes, f.notes...)
	j.Missing = append(j.Missing, f.report.Problems...)
	if f.report.Summary.Passed == 0 {
		j.Missing = append(j.Missing, "no case passed")
	}
	switch {
	case len(j.Failures) > 0:
		j.Verdict = NotCertified
	case len(j.Missing) > 0:
		j.Verdict = Incomplete
	default:
		j.Verdict = Certified
	}
	return j
}

func (f facts) judgeCases(j *Judgement) {
	for _, c := range f.report.Cases {
		switch {
		case c.Status == spec.Passed, c.Status == spec.Known:
			for _, feature := range f.exercise[c.ID] {
				j.Exercised[feature] = append(j.Exercised[feature], c.ID)
			}
			if i := f.exception(c.ID); i >= 0 && c.Status == spec.Passed {
				j.Notes = append(j.Notes, fmt.Sprintf("exception for %s is not needed: the case passed", c.ID))
			}
			if c.Status == spec.Known {
				j.Notes = append(j.Notes, fmt.Sprintf("%s saw a known issue of Kubernetes: %s", c.ID, c.Reason))
			}
		case c.Warning():
			j.Notes = append(j.Notes, fmt.Sprintf("%s failed, which should not be, and may: %s", c.ID, firstLine(c.Failure)))
		case c.Status == spec.Failed:
			f.judgeFailed(j, c)
		case c.Status == spec.Blocked:
			j.Missing = append(j.Missing, fmt.Sprintf("%s has no verdict: %s", c.ID, firstLine(c.Reason+" "+c.Failure)))
		case incomplete(c.SkipCode):
			j.Missing = append(j.Missing, fmt.Sprintf("%s did not run: %s", c.ID, c.Reason))
		case c.Status == spec.NotApplicable:
			// The cluster does not serve what it is about, or the driver lacks the feature.
			j.Notes = append(j.Notes, fmt.Sprintf("%s did not run: %s", c.ID, c.Reason))
		}
	}
}

// incomplete is whether a case that was skipped would have had something to show.
func incomplete(code spec.SkipCode) bool {
	return slices.Contains([]spec.SkipCode{spec.SkipDevices, spec.SkipNodes, spec.SkipFeatureUnseen, spec.SkipAPI, spec.SkipDisruption}, code)
}

func (f facts) judgeFailed(j *Judgement, c schema.Case) {
	what, seen := spec.LastSeen(c.Failure)
	text := fmt.Sprintf("%s failed: %s", c.ID, firstLine(what))
	if seen != "" {
		text += "; last: " + firstLine(seen)
	}
	i := f.exception(c.ID)
	if i < 0 {
		j.Failures = append(j.Failures, text)
		return
	}
	e := f.declaration.Excepted[i]
	// Parse has checked the day.
	until, _ := time.Parse(time.DateOnly, e.Until)
	if f.today.After(until.AddDate(0, 0, 1)) {
		j.Failures = append(j.Failures, fmt.Sprintf("%s (its exception ended on %s)", text, e.Until))
		return
	}
	j.Missing = append(j.Missing, fmt.Sprintf("%s, excepted until %s: %s (%s)", text, e.Until, e.Reason, e.Issue))
}

func (f facts) exception(id string) int {
	return slices.IndexFunc(f.declaration.Excepted, func(e declarations.Exception) bool { return e.Case == id })
}

func (f facts) judgeFeatures(j *Judgement) {
	for _, feature := range spec.DriverFeatures() {
		declared, isDeclared := f.declaration.Features[feature]
		observed := f.observed[feature]
		exercised := len(j.Exercised[feature]) > 0
		switch {
		case isDeclared && !declared && observed:
			j.Failures = append(j.Failures, fmt.Sprintf("feature %s is declared as false, and the cluster shows it", feature))
		case isDeclared && declared && !exercised && f.notServed(feature):
			j.Notes = append(j.Notes, fmt.Sprintf("feature %s is declared, and the cluster does not serve what its cases need", feature))
		case isDeclared && declared && !exercised:
			j.Missing = append(j.Missing, fmt.Sprintf("feature %s is declared, and no case that passed has used it", feature))
		case !isDeclared && observed && !exercised:
			j.Missing = append(j.Missing, fmt.Sprintf("feature %s is not declared and the cluster shows it, and no case that passed has used it", feature))
		}
	}
}

// notServed is whether all cases that would use a feature need what the cluster has not, as
// one of an older Kubernetes.
func (f facts) notServed(feature spec.DriverFeature) bool {
	some := false
	for _, c := range f.report.Cases {
		if !slices.Contains(f.exercise[c.ID], feature) {
			continue
		}
		if c.Status != spec.NotApplicable || c.SkipCode != spec.SkipFeature && c.SkipCode != spec.SkipVersion {
			return false
		}
		some = true
	}
	return some
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
