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

package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Version is the schema version of this package.
const Version = "dra-conformance.github.io/v1alpha2"

// Report is the content of report.json.
type Report struct {
	SchemaVersion string    `json:"schemaVersion"`
	Suite         Suite     `json:"suite"`
	Cluster       Cluster   `json:"cluster"`
	Driver        Driver    `json:"driver"`
	Selection     Selection `json:"selection"`
	// Seed determines the order of the cases.
	Seed    int64     `json:"seed"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// DurationSeconds is the time from Started to Ended.
	DurationSeconds float64 `json:"durationSeconds"`
	Summary         Summary `json:"summary"`
	// Profile is the conformance profile of the run. Result is the verdict on it, or on the cases
	// of a selection, and Reasons say why it is not ResultPassed. Other reports have neither.
	Profile *RunProfile `json:"profile,omitempty"`
	Result  Result      `json:"result,omitempty"`
	Reasons []string    `json:"reasons,omitempty"`
	// Problems are errors outside of the cases. Any problem makes the run incomplete.
	Problems []string `json:"problems,omitempty"`
	// Monitoring describes the monitors of the run, Findings what they found. A violation
	// fails the run.
	Monitoring *spec.Monitoring `json:"monitoring,omitempty"`
	Findings   []spec.Finding   `json:"findings,omitempty"`
	Cases      []Case           `json:"cases"`
	// VendorCases are the vendor's own cases of a certification. They never count.
	VendorCases []VendorCase `json:"vendorCases,omitempty"`
}

// Suite is the dratest build.
type Suite struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// Modified is true if the source differed from Commit.
	Modified bool `json:"modified,omitempty"`
}

// Cluster describes the cluster under test.
type Cluster struct {
	// Provider is "kind", "controlplane" or "existing".
	Provider     string            `json:"provider,omitempty"`
	Server       string            `json:"server"`
	Kubernetes   string            `json:"kubernetes"`
	ResourceAPIs []string          `json:"resourceAPIs"`
	Components   map[string]string `json:"components,omitempty"`
	Stack        map[string]string `json:"stack,omitempty"`
	// Running lists each scheduler, controller manager and kubelet with its provenance and
	// the basis for it.
	Running     []spec.Component      `json:"running,omitempty"`
	Runtimes    []string              `json:"runtimes,omitempty"`
	Nodes       []spec.Node           `json:"nodes"`
	Gates       map[spec.Feature]bool `json:"gates,omitempty"`
	GatesUnseen string                `json:"gatesUnseen,omitempty"`
	// Observed maps features to where the cluster's objects use them.
	Observed map[spec.Feature]string `json:"observed,omitempty"`
}

// Driver is the DRA driver used by the cases.
type Driver struct {
	Name  string `json:"name"`
	Image string `json:"image,omitempty"`
	// Digests are the running images' digests, as reported by the container runtimes.
	Digests []string `json:"digests,omitempty"`
}

// Selection is the selection of cases by the user.
type Selection struct {
	Focus  []string `json:"focus,omitempty"`
	Skip   []string `json:"skip,omitempty"`
	Labels string   `json:"labels,omitempty"`
	// Profile is core or conformance, unless all cases were selected.
	Profile string `json:"profile,omitempty"`
	// Mutant is the fault built into the test driver.
	Mutant spec.MutantID `json:"mutant,omitempty"`
	// AssumeStock are the components declared by the user as Kubernetes' own.
	AssumeStock []string `json:"assumeStock,omitempty"`
	// Strict is whether known issues counted as failures.
	Strict   bool `json:"strict,omitempty"`
	Parallel int  `json:"parallel"`
	// TimeoutScale is the factor for the time limits of cases; zero means 1.
	TimeoutScale float64 `json:"timeoutScale,omitempty"`
	// Expectations are the cases that the user expected to fail.
	Expectations []Expectation `json:"expectations,omitempty"`
}

// Expectation is a case that the user expects to fail.
type Expectation struct {
	Case   string `json:"case"`
	Reason string `json:"reason"`
	// Issue is where it is tracked.
	Issue string `json:"issue"`
	// Until is the last day of the expectation, as 2027-03-31.
	Until string `json:"until" jsonschema:"format=date"`
}

// Expired reports whether the last day was before a time, in UTC.
func (e Expectation) Expired(at time.Time) bool { return e.Until < at.UTC().Format(time.DateOnly) }

// String is "why (issue, until 2027-03-31)".
func (e Expectation) String() string {
	return fmt.Sprintf("%s (%s, until %s)", e.Reason, e.Issue, e.Until)
}

// Narrowed reports whether the user chose cases, or expected some to fail, without a profile.
// Then only the cases of the run are judged, and no profile.
func (s Selection) Narrowed() bool {
	return s.Profile == "" && (s.filtered() || len(s.Expectations) > 0)
}

func (s Selection) filtered() bool {
	return len(s.Focus)+len(s.Skip) > 0 || s.Labels != "" || s.Mutant != ""
}

// selected says what a verdict on no profile is about; empty for any other.
func (s Selection) selected(p *RunProfile, cases int) string {
	if p != nil || !s.Narrowed() {
		return ""
	}
	of := count(cases, "case")
	if !s.filtered() {
		return fmt.Sprintf("run of %s with expectations; no profile was judged", of)
	}
	return fmt.Sprintf("selection of %s; no profile was judged", of)
}

// RunProfile is the conformance profile of a run.
type RunProfile struct {
	Name spec.ConformanceProfile `json:"name"`
	// Version identifies the list of required cases.
	Version string `json:"version"`
	// Required is the number of required cases.
	Required int `json:"required"`
}

// String returns name and version.
func (p RunProfile) String() string { return fmt.Sprintf("%s %s", p.Name, p.Version) }

// Verdict is the outcome of the selected cases.
type Verdict string

// The verdicts.
const (
	Passed Verdict = "Passed"
	Failed Verdict = "Failed"
	// Incomplete: no case failed, but some have no verdict or needed a retry.
	Incomplete Verdict = "Incomplete"
	// NothingRan and NothingPassed count as failures because they prove nothing.
	NothingRan Verdict = "NothingRan"
	// NothingPassed: cases ran, with only warnings and known issues as results.
	NothingPassed Verdict = "NothingPassed"
)

// Outcome returns the verdict on a run in one word, and the reasons for a verdict other than passed:
// Result, or the verdict on the selected cases without a profile.
func (r Report) Outcome() (Result, []string) {
	if r.Result != "" {
		return r.Result, r.Reasons
	}
	return r.Summary.Verdict.Result()
}

// Selected is "selection of 2 cases; no profile was judged", or empty.
func (r Report) Selected() string { return r.Selection.selected(r.Profile, r.Summary.Total) }

// Result returns the verdict as a report's result, with a reason if it has one.
func (v Verdict) Result() (Result, []string) {
	switch v {
	case Passed:
		return ResultPassed, nil
	case Failed:
		return ResultFailed, nil
	case NothingRan:
		return ResultFailed, []string{"nothing ran"}
	case NothingPassed:
		return ResultFailed, []string{"no case passed"}
	default:
		return ResultIncomplete, nil
	}
}

// Summary counts the cases.
type Summary struct {
	Verdict Verdict `json:"verdict"`
	Total   int     `json:"total"`
	Passed  int     `json:"passed"`
	// Failed counts failed cases with a MUST requirement, Warnings the other failed cases.
	Failed   int `json:"failed"`
	Warnings int `json:"warnings,omitempty"`
	// Violations counts the violations found by monitors.
	Violations int `json:"violations,omitempty"`
	// ExpectedFailures counts further cases with a MUST requirement, failed as the user expected.
	ExpectedFailures int `json:"expectedFailures,omitempty"`
	// KnownIssues counts cases affected by a known Kubernetes issue.
	KnownIssues int `json:"knownIssues,omitempty"`
	// Unreviewed counts cases with a known issue not reviewed for the running version.
	Unreviewed int `json:"unreviewed,omitempty"`
	// ClosedHere counts cases among Passed whose known issue did not occur.
	ClosedHere    int `json:"closedHere,omitempty"`
	Blocked       int `json:"blocked"`
	NotApplicable int `json:"notApplicable"`
	// Retried counts cases among Passed and KnownIssues with an earlier failed attempt.
	Retried int `json:"retried,omitempty"`
	// MedianSeconds and MaxSeconds cover cases run to completion.
	MedianSeconds float64 `json:"medianSeconds"`
	MaxSeconds    float64 `json:"maxSeconds"`
}

// String summarizes the counts in one line.
func (s Summary) String() string {
	some := ""
	for _, c := range []struct {
		number int
		what   string
	}{{s.Violations, "violation"}, {s.ExpectedFailures, "expected failure"}, {s.Warnings, "warning"}, {s.KnownIssues, "known issue"}, {s.Unreviewed, "unreviewed known issue"}} {
		if c.number > 0 {
			some += count(c.number, c.what) + ", "
		}
	}
	return fmt.Sprintf("%d passed, %d failed, %s%d blocked, %d not applicable", s.Passed, s.Failed, some, s.Blocked, s.NotApplicable)
}

// count is a number of things, as "1 case".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Case is one case with its result.
type Case struct {
	ID string `json:"id"`
	// Aliases are earlier IDs of the case.
	Aliases []string `json:"aliases,omitempty"`
	Checks  string   `json:"checks"`
	// Labels are Conformance, "Feature:X", "KEP-4381", Slow, Serial, Disruptive and the area.
	Labels []string `json:"labels,omitempty"`
	// Requirements are checked by the case. A failure counts only with a MUST among them.
	Requirements []spec.Requirement `json:"requirements"`
	Status       spec.Status        `json:"status"`
	// Started is missing for cases that did not start.
	Started         time.Time `json:"started,omitzero"`
	DurationSeconds float64   `json:"durationSeconds"`
	// WaitsFor names the built-in Kubernetes delay the case waits for.
	WaitsFor string `json:"waitsFor,omitempty"`
	// SkipCode and Reason explain a missing verdict, KnownIssue and Reason an observed issue.
	// Basis is the evidence for the affected components being Kubernetes' own.
	// ClosedHere names components expected to have the KnownIssue if it was not observed.
	KnownIssue *spec.KnownIssue `json:"knownIssue,omitempty"`
	Basis      spec.Basis       `json:"basis,omitempty"`
	ClosedHere string           `json:"closedHere,omitempty"`
	SkipCode   spec.SkipCode    `json:"skipCode,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	// Expected is why the user expected the case to fail; only for cases that passed or failed.
	Expected *Expectation `json:"expected,omitempty"`
	Failure  string       `json:"failure,omitempty"`
	LastStep string       `json:"lastStep,omitempty"`
	Location string       `json:"location,omitempty"`
	// Evidence is a directory, relative to the report's directory.
	Evidence string `json:"evidence,omitempty"`
	// Timeline is a file, relative to the report's directory.
	Timeline string `json:"timeline,omitempty"`
	// Attempts is the number of runs, if more than one.
	Attempts int `json:"attempts,omitempty"`
	// Measured are the case's measurements. They do not affect the verdict.
	Measured []spec.Measurement `json:"measured,omitempty"`
}

// CasesFolder is the directory with the evidence of cases.
const CasesFolder = "cases"

// EvidenceFolder is the path of a case's evidence, relative to the report.
func EvidenceFolder(id string) string { return CasesFolder + "/" + strings.ReplaceAll(id, "/", ".") }

// Warning reports whether the case failed without a MUST requirement (RFC 2119).
// Warnings do not fail a run.
func (c Case) Warning() bool {
	must := func(r spec.Requirement) bool { return r.Level != spec.Should && r.Level != spec.May }
	return c.Status == spec.Failed && len(c.Requirements) > 0 && !slices.ContainsFunc(c.Requirements, must)
}

// FailedAsExpected reports whether the case failed, also with an unreviewed known issue, and was expected to. Warnings
// stay warnings.
func (c Case) FailedAsExpected() bool {
	return (c.Status == spec.Failed || c.Status == spec.Unreviewed) && c.Expected != nil && !c.Warning()
}

// PassedUnexpectedly reports whether the case passed, and was expected to fail.
func (c Case) PassedUnexpectedly() bool { return c.Status == spec.Passed && c.Expected != nil }

// Result returns the case's result in the words of a conformance report.
func (c Case) Result() CaseResult {
	switch {
	case c.Warning():
		return CaseWarning
	case c.FailedAsExpected():
		return CaseExpectedFailure
	case c.Status == spec.Passed:
		return CasePassed
	case c.Status == spec.Failed:
		return CaseFailed
	case c.Status == spec.Known:
		return CaseKnownIssue
	case c.Status == spec.Unreviewed:
		return CaseUnreviewed
	case c.Status == spec.NotApplicable:
		return CaseNotApplicable
	default:
		return CaseBlocked
	}
}

// Closed describes the known issue not observed, and where. It is empty for most cases.
func (c Case) Closed() string {
	if c.ClosedHere == "" || c.KnownIssue == nil {
		return ""
	}
	return fmt.Sprintf("closed here: %s was not seen by case %s on %s (%s)", c.KnownIssue.Issue, c.ID, c.ClosedHere, c.Basis)
}

// Encode writes a report as indented JSON.
func Encode(r Report) ([]byte, error) { return encode("report", r) }

func encode(what string, value any) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", what, err)
	}
	return append(data, '\n'), nil
}

// Decode reads a report. It rejects other schema versions and unknown fields, and makes texts
// Printable.
func Decode(data []byte) (Report, error) {
	r, err := decode[Report]("report", Version, data)
	if err != nil {
		return Report{}, err
	}
	return Printable(r), nil
}

// decode reads a single JSON value of a schema version, without unknown fields.
func decode[T any](what, version string, data []byte) (T, error) {
	var value, none T
	var head struct {
		SchemaVersion string `json:"schemaVersion"`
	}
	// Unlike the decoder below, Unmarshal rejects anything after the value.
	if err := json.Unmarshal(data, &head); err != nil {
		return none, fmt.Errorf("decode %s: %w", what, err)
	}
	if head.SchemaVersion != version {
		return none, fmt.Errorf("decode %s: its schema version is %q, this dratest reads %s", what, head.SchemaVersion, version)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return none, fmt.Errorf("decode %s: %w", what, err)
	}
	return value, nil
}
