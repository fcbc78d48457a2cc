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
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The type of conformance-report.yaml.
const (
	ConformanceVersion = "dra-conformance.github.io/v1alpha1"
	ConformanceKind    = "ConformanceReport"
)

// ConformanceReport is the content of conformance-report.yaml: who tested what, where
// and how, what each required case came to, and the digests of the evidence for it.
type ConformanceReport struct {
	APIVersion string `json:"apiVersion" jsonschema:"enum=dra-conformance.github.io/v1alpha1"`
	Kind       string `json:"kind" jsonschema:"enum=ConformanceReport"`
	// Engine is the command that wrote the report; missing in reports of older versions.
	Engine         Engine           `json:"engine,omitempty" jsonschema:"enum=run,enum=certify,enum=sanity,enum=upgrade"`
	Implementation Implementation   `json:"implementation"`
	Suite          ConformanceSuite `json:"suite"`
	Cluster        Cluster          `json:"cluster"`
	Driver         Driver           `json:"driver"`
	Run            Invocation       `json:"run"`
	// Profile is the conformance profile of the run, Result the verdict on it. Without a profile,
	// Result is the verdict on the selected cases. Reasons say why it is not passed.
	Profile *RunProfile `json:"profile,omitempty"`
	Result  Result      `json:"result"`
	Reasons []string    `json:"reasons,omitempty"`
	// Summary counts the cases of the run, which may be fewer than are required.
	Summary Summary `json:"summary"`
	// Profiles are the results of the core and of each feature, or of each part of the driver
	// profile. A selection has none.
	Profiles []Profile `json:"profiles"`
	// Certificate is that of a driver under test; missing in all but certifications.
	Certificate *Certificate `json:"certificate,omitempty"`
	KnownIssues Issues       `json:"knownIssues,omitzero"`
	// Problems are what went wrong beside the cases.
	Problems []string `json:"problems,omitempty"`
	// Cases are all of this version of the suite; those of Profile are required.
	Cases []ConformanceCase `json:"cases"`
	// Files are the run's own; those of single cases are with the case.
	Files []File `json:"files"`
}

// Implementation says whose Kubernetes, or whose driver, was tested.
type Implementation struct {
	Organization string   `json:"organization,omitempty"`
	Project      string   `json:"project,omitempty"`
	Version      string   `json:"version,omitempty"`
	URL          string   `json:"url,omitempty"`
	Contact      []string `json:"contact,omitempty"`
}

// Over is the identity with what it leaves open taken from below.
func (i Implementation) Over(below Implementation) Implementation {
	for _, field := range []struct{ mine, below *string }{
		{&i.Organization, &below.Organization}, {&i.Project, &below.Project}, {&i.Version, &below.Version}, {&i.URL, &below.URL},
	} {
		if *field.mine == "" {
			*field.mine = *field.below
		}
	}
	if len(i.Contact) == 0 {
		i.Contact = below.Contact
	}
	return i
}

// ConformanceSuite says which dratest ran and what it requires.
type ConformanceSuite struct {
	Suite `json:",inline"`

	// Binary is the digest of the program that ran the cases.
	Binary string `json:"binary"`
	// RequiredCases is the digest of the list of all cases (RequiredDigest), which each version
	// of the profiles has its own of.
	RequiredCases string `json:"requiredCases"`
}

// Invocation says how dratest was started, and when.
type Invocation struct {
	Command   []string  `json:"command,omitempty"`
	Selection Selection `json:"selection"`
	Seed      int64     `json:"seed"`
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	// Verdict is that of the cases that were selected.
	Verdict Verdict `json:"verdict"`
}

// Result is what a report or a profile comes to.
type Result string

// The results.
const (
	ResultPassed Result = "passed"
	ResultFailed Result = "failed"
	// ResultIncomplete: nothing failed, but not all that applies was shown to hold.
	ResultIncomplete Result = "incomplete"
	// ResultNotApplicable: the cluster does not have what the profile is about.
	ResultNotApplicable Result = "notApplicable"
)

// CoreProfile is the profile of the cases that need no feature beyond DRA's core. Each
// feature is a profile of the same name.
const CoreProfile = "core"

// Profile is what the cases of one feature, or of the core, come to.
type Profile struct {
	Name   string `json:"name"`
	Result Result `json:"result" jsonschema:"enum=passed,enum=failed,enum=incomplete,enum=notApplicable"`
	// Reasons say why the result is not ResultPassed.
	Reasons []string `json:"reasons,omitempty"`
	// Observed says where the feature was seen in the cluster; empty if it was not.
	Observed string `json:"observed,omitempty"`
	Counts   Counts `json:"counts"`
}

// Counts count cases by what they came to.
type Counts struct {
	Passed        int `json:"passed"`
	Failed        int `json:"failed"`
	Warnings      int `json:"warnings"`
	KnownIssues   int `json:"knownIssues"`
	Blocked       int `json:"blocked"`
	NotApplicable int `json:"notApplicable"`
	NotSelected   int `json:"notSelected"`
}

// Issues are the known issues of Kubernetes that cases have seen, and those that cases
// know and have not seen.
type Issues struct {
	Seen   []SeenIssue `json:"seen,omitempty"`
	Closed []SeenIssue `json:"closed,omitempty"`
}

// SeenIssue is a known issue in one case.
type SeenIssue struct {
	Issue string `json:"issue"`
	Case  string `json:"case"`
	// Basis is how it is known that the component with the issue is Kubernetes' own.
	Basis spec.Basis `json:"basis,omitempty"`
	// What was seen, or which component was not seen to have it.
	What string `json:"what"`
}

// CaseResult is what a case came to.
type CaseResult string

// The results of cases.
const (
	CasePassed        CaseResult = "passed"
	CaseFailed        CaseResult = "failed"
	CaseWarning       CaseResult = "warning"
	CaseKnownIssue    CaseResult = "knownIssue"
	CaseBlocked       CaseResult = "blocked"
	CaseNotApplicable CaseResult = "notApplicable"
	// CaseNotSelected: the user left it out.
	CaseNotSelected CaseResult = "notSelected"
)

// ConformanceCase is one case of the suite.
type ConformanceCase struct {
	RequiredCase `json:",inline"`

	Result CaseResult `json:"result" jsonschema:"enum=passed,enum=failed,enum=warning,enum=knownIssue,enum=blocked,enum=notApplicable,enum=notSelected"`
	// Reason says why it has not passed, SkipCode the same for programs where the case was
	// left out.
	Reason   string        `json:"reason,omitempty"`
	SkipCode spec.SkipCode `json:"skipCode,omitempty"`
	Attempts []Attempt     `json:"attempts,omitempty"`
	// Evidence are the files that were gathered for the case.
	Evidence []File `json:"evidence,omitempty"`
}

// Attempt is one run of a case.
type Attempt struct {
	Status          spec.Status `json:"status"`
	Started         time.Time   `json:"started"`
	DurationSeconds float64     `json:"durationSeconds"`
	Reason          string      `json:"reason,omitempty"`
}

// File is a file of the report directory.
type File struct {
	// Path is relative to the report directory, with slashes.
	Path   string `json:"path"`
	SHA256 string `json:"sha256" jsonschema:"pattern=^[0-9a-f]{64}$"`
	Bytes  int64  `json:"bytes"`
}

// Selected is "selection of 2 cases; no profile was judged", or empty.
func (r ConformanceReport) Selected() string {
	return r.Run.Selection.selected(r.Profile, r.Summary.Total)
}

// FileName is a name for copies of the report, made from what it says: Kubernetes'
// version, the project's or the driver's name and version, and the day.
func (r ConformanceReport) FileName() string {
	project := strings.TrimSpace(r.Implementation.Project + " " + r.Implementation.Version)
	if r.Implementation.Project == "" {
		project = r.Driver.Name
	}
	name := strings.Join([]string{r.Cluster.Kubernetes, project, r.Run.Started.UTC().Format(time.DateOnly), "report"}, "-")
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-") + ".yaml"
}

var notInNames = regexp.MustCompile(`[^a-z0-9.+_]+`)

// EncodeConformance writes a conformance report as YAML.
func EncodeConformance(r ConformanceReport) ([]byte, error) {
	data, err := yaml.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode conformance report: %w", err)
	}
	return data, nil
}

// ErrOtherVersion: a report is of a version of the schema that this dratest does not read.
var ErrOtherVersion = errors.New("the version of the schema is another one")

// DecodeConformance reads a conformance report. It refuses other versions
// (ErrOtherVersion), unknown and duplicate fields, and makes texts Printable.
func DecodeConformance(data []byte) (ConformanceReport, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(data, &head); err != nil {
		return ConformanceReport{}, fmt.Errorf("decode conformance report: %w", err)
	}
	if head.Kind != ConformanceKind {
		return ConformanceReport{}, fmt.Errorf("decode conformance report: its kind is %q, not %s", head.Kind, ConformanceKind)
	}
	if head.APIVersion != ConformanceVersion {
		return ConformanceReport{}, fmt.Errorf("decode conformance report: %w: it is %q, this dratest reads %s: use the dratest that wrote the report",
			ErrOtherVersion, head.APIVersion, ConformanceVersion)
	}
	var r ConformanceReport
	if err := yaml.UnmarshalStrict(data, &r); err != nil {
		return ConformanceReport{}, fmt.Errorf("decode conformance report: %w", err)
	}
	return Printable(r), nil
}
