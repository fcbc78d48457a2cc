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
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// facts are the input of a verdict, all contained in a report directory.
type facts struct {
	declaration declarations.Declaration
	report      schema.Report
	// cases has the driver profile and driver features of each case.
	cases []schema.RequiredCase
	seen  schema.Observations
}

// required returns a case of the driver profile.
func (f facts) required(id string) schema.RequiredCase {
	if i := slices.IndexFunc(f.cases, func(c schema.RequiredCase) bool { return c.ID == id }); i >= 0 {
		return f.cases[i]
	}
	return schema.RequiredCase{}
}

// judge returns the verdict. Nothing outweighs a failure. Missing results prevent certification; so do exceptions,
// which turn "not certified" into "incomplete".
func judge(f facts) schema.Judgement {
	j := schema.Judgement{Failures: slices.Clone(f.seen.Failures), Missing: slices.Clone(f.seen.Missing), Exercised: map[spec.DriverFeature][]string{}}
	if chosen := chosenBy(f.report); chosen != "" {
		j.Missing = append(j.Missing, "only cases that match "+chosen+" were to run")
	} else if left := f.leftOut(); len(left) > 0 {
		j.Missing = append(j.Missing, "left out: "+strings.Join(left, ", "))
	}
	f.judgeCases(&j)
	f.judgeFeatures(&j)
	j.Profiles = f.judgeProfiles()
	f.judgeLoad(&j)
	j.Costs = costsOf(f.declaration.Budget, f.measured())
	j.Failures = append(j.Failures, over(f.declaration.Budget, f.measured())...)
	for _, change := range f.seen.Changes {
		j.Notes = append(j.Notes, "during the run: "+change)
	}
	j.Notes = append(j.Notes, f.seen.Notes...)
	for _, found := range f.report.Findings {
		switch {
		case found.Severity != spec.Violation:
		case found.Rule == spec.PoolIncomplete:
			j.Failures = append(j.Failures, found.Text)
		default:
			j.Missing = append(j.Missing, "found by monitors: "+found.Text)
		}
	}
	j.Missing = append(j.Missing, f.report.Problems...)
	if f.report.Summary.Passed == 0 {
		j.Missing = append(j.Missing, "no case passed")
	}
	switch {
	case len(j.Failures) > 0:
		j.Verdict = schema.DriverNotCertified
	case len(j.Missing) > 0:
		j.Verdict = schema.DriverIncomplete
	default:
		j.Verdict = schema.DriverCertified
	}
	return j
}

// chosenBy returns the flags excluding cases.
func chosenBy(r schema.Report) string {
	var flags []string
	for _, one := range []struct {
		name string
		set  bool
	}{{"--focus", len(r.Selection.Focus) > 0}, {"--skip", len(r.Selection.Skip) > 0}, {"--label-filter", r.Selection.Labels != ""}} {
		if one.set {
			flags = append(flags, one.name)
		}
	}
	return strings.Join(flags, ", ")
}

// leftOut returns the cases of the profile missing in the report.
func (f facts) leftOut() (ids []string) {
	for _, required := range f.cases {
		if !slices.ContainsFunc(f.report.Cases, func(c schema.Case) bool { return c.ID == required.ID }) {
			ids = append(ids, required.ID)
		}
	}
	return ids
}

func (f facts) judgeCases(j *schema.Judgement) {
	blocked := map[string][]string{}
	for _, c := range f.report.Cases {
		if c.Attempts > 1 && (c.Status == spec.Passed || c.Status == spec.Known) {
			j.Missing = append(j.Missing, fmt.Sprintf("%s passed only at attempt %d", c.ID, c.Attempts))
		}
		switch {
		case c.Status == spec.Passed, c.Status == spec.Known:
			for _, feature := range f.required(c.ID).DriverFeatures {
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
		case c.Status == spec.Blocked, c.Status == spec.Unreviewed:
			reason := firstLine(c.Reason + " " + c.Failure)
			blocked[reason] = append(blocked[reason], c.ID)
		case incomplete(c.SkipCode), basic(c):
			j.Missing = append(j.Missing, fmt.Sprintf("%s did not run: %s", c.ID, c.Reason))
		case c.Status == spec.NotApplicable:
			// The cluster does not support the case, or the driver lacks the feature.
			j.Notes = append(j.Notes, fmt.Sprintf("%s did not run: %s", c.ID, c.Reason))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(blocked)) {
		j.Missing = append(j.Missing, noVerdict(blocked[reason], reason))
	}
}

// noVerdict describes cases without a verdict for the same reason: all of them, if the driver does not work.
func noVerdict(ids []string, reason string) string {
	if len(ids) == 1 {
		return fmt.Sprintf("%s has no verdict: %s", ids[0], reason)
	}
	return fmt.Sprintf("%d cases have no verdict: %s (%s)", len(ids), reason, strings.Join(ids, ", "))
}

// incomplete reports whether a skipped case leaves the certification incomplete.
func incomplete(code spec.SkipCode) bool {
	return slices.Contains([]spec.SkipCode{spec.SkipDevices, spec.SkipNodes, spec.SkipFeatureUnseen, spec.SkipAPI, spec.SkipDisruption}, code)
}

// basic reports whether a check was skipped, but is required for the contract.
func basic(c schema.Case) bool {
	return c.Status == spec.NotApplicable && slices.Contains(spec.BasicContract(), c.ID)
}

func (f facts) judgeFailed(j *schema.Judgement, c schema.Case) {
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
	// Parse has validated the date.
	until, _ := time.Parse(time.DateOnly, e.Until)
	if f.report.Ended.After(until.AddDate(0, 0, 1)) {
		j.Failures = append(j.Failures, fmt.Sprintf("%s (its exception ended on %s)", text, e.Until))
		return
	}
	j.Missing = append(j.Missing, fmt.Sprintf("%s, excepted until %s: %s (%s)", text, e.Until, e.Reason, e.Issue))
}

func (f facts) exception(id string) int {
	return slices.IndexFunc(f.declaration.Excepted, func(e declarations.Exception) bool { return e.Case == id })
}

func (f facts) judgeFeatures(j *schema.Judgement) {
	for _, feature := range spec.DriverFeatures() {
		declared, isDeclared := f.declaration.Features[feature]
		observed := slices.Contains(f.seen.Features, feature)
		exercised := len(j.Exercised[feature]) > 0
		switch {
		case feature.Limits() && !declared:
		case feature == spec.DriverOneContainer:
			j.Missing = append(j.Missing, "feature oneContainer is declared: Kubernetes allows several containers to use a claim, and the driver does not")
		case feature.Limits():
			j.Notes = append(j.Notes, fmt.Sprintf("feature %s is declared: containers of a pod are not isolated from its other devices", feature))
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

// notServed reports whether all cases of a feature need something missing in the cluster, as in an older Kubernetes.
func (f facts) notServed(feature spec.DriverFeature) bool {
	some := false
	for _, c := range f.report.Cases {
		if !slices.Contains(f.required(c.ID).DriverFeatures, feature) {
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
