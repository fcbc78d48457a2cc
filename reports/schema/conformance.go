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
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
)

// apiVersion and kind of conformance-report.yaml.
const (
	ConformanceVersion = "dra-conformance.github.io/v1alpha1"
	ConformanceKind    = "ConformanceReport"
)

// ConformanceReport is the content of conformance-report.yaml: identity, configuration, the result of
// each required case, and the digests of its evidence.
type ConformanceReport struct {
	APIVersion string `json:"apiVersion" jsonschema:"enum=dra-conformance.github.io/v1alpha1"`
	Kind       string `json:"kind" jsonschema:"enum=ConformanceReport"`
	// Engine is the command of the report; missing in reports of older versions.
	Engine         Engine           `json:"engine,omitempty" jsonschema:"enum=run,enum=certify,enum=sanity,enum=upgrade"`
	Implementation Implementation   `json:"implementation"`
	Suite          ConformanceSuite `json:"suite"`
	Cluster        Cluster          `json:"cluster"`
	Driver         Driver           `json:"driver"`
	Run            Invocation       `json:"run"`
	// Profile is the conformance profile of the run, Result the verdict on it. Without a profile, Result
	// is the verdict on the selected cases. Reasons are set for a result other than passed.
	Profile *RunProfile `json:"profile,omitempty"`
	Result  Result      `json:"result"`
	Reasons []string    `json:"reasons,omitempty"`
	// Summary counts the cases of the run, possibly fewer than required.
	Summary Summary `json:"summary"`
	// Profiles are the results of the core and of each feature, or of each part of the driver
	// profile. A selection has none.
	Profiles []Profile `json:"profiles"`
	// Certificate is the certificate of a driver under test; missing except for certifications.
	Certificate *Certificate `json:"certificate,omitempty"`
	KnownIssues Issues       `json:"knownIssues,omitzero"`
	// Problems are errors outside of the cases.
	Problems []string `json:"problems,omitempty"`
	// Cases are all cases of this suite version; those of Profile are required.
	Cases []ConformanceCase `json:"cases"`
	// Files are files of the run; evidence is listed per case.
	Files []File `json:"files"`
}

// Implementation identifies the Kubernetes distribution or driver under test.
type Implementation struct {
	Organization string   `json:"organization,omitempty"`
	Project      string   `json:"project,omitempty"`
	Version      string   `json:"version,omitempty"`
	URL          string   `json:"url,omitempty"`
	Contact      []string `json:"contact,omitempty"`
}

// Over returns the identity with empty fields set from below.
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

// ConformanceSuite is the dratest build with its required cases.
type ConformanceSuite struct {
	Suite `json:",inline"`

	// Binary is the digest of the dratest binary.
	Binary string `json:"binary"`
	// RequiredCases is the digest of the list of all cases (RequiredDigest). Each version of the profiles
	// has its own.
	RequiredCases string `json:"requiredCases"`
}

// Invocation is the command line and the time of a run.
type Invocation struct {
	Command   []string  `json:"command,omitempty"`
	Selection Selection `json:"selection"`
	Seed      int64     `json:"seed"`
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	// Verdict is the verdict on the selected cases.
	Verdict Verdict `json:"verdict"`
}

// Result is the result of a report or a profile.
type Result string

// The results.
const (
	ResultPassed Result = "passed"
	ResultFailed Result = "failed"
	// ResultIncomplete means nothing failed, but applicable cases have no verdict.
	ResultIncomplete Result = "incomplete"
	// ResultNotApplicable means the cluster does not have the profile's feature.
	ResultNotApplicable Result = "notApplicable"
)

// CoreProfile is the profile of the cases without features beyond DRA's core. Each feature is a
// profile of the same name.
const CoreProfile = "core"

// Profile is the result of the cases of a feature or of the core.
type Profile struct {
	Name   string `json:"name"`
	Result Result `json:"result" jsonschema:"enum=passed,enum=failed,enum=incomplete,enum=notApplicable"`
	// Reasons are set for a result other than ResultPassed.
	Reasons []string `json:"reasons,omitempty"`
	// Observed is the evidence for the feature in the cluster; empty if there is none.
	Observed string `json:"observed,omitempty"`
	Counts   Counts `json:"counts"`
}

// Counts counts cases by result.
type Counts struct {
	Passed           int `json:"passed"`
	Failed           int `json:"failed"`
	Warnings         int `json:"warnings"`
	ExpectedFailures int `json:"expectedFailures,omitempty"`
	KnownIssues      int `json:"knownIssues"`
	Unreviewed       int `json:"unreviewed,omitempty"`
	Blocked          int `json:"blocked"`
	NotApplicable    int `json:"notApplicable"`
	NotSelected      int `json:"notSelected"`
}

// Issues are the known issues of Kubernetes, observed and not observed by their cases.
type Issues struct {
	Seen   []SeenIssue `json:"seen,omitempty"`
	Closed []SeenIssue `json:"closed,omitempty"`
}

// SeenIssue is a known issue in one case.
type SeenIssue struct {
	Issue string `json:"issue"`
	Case  string `json:"case"`
	// Basis is the evidence for an upstream Kubernetes component.
	Basis spec.Basis `json:"basis,omitempty"`
	// What is the observation, or the component without it.
	What string `json:"what"`
}

// CaseResult is the result of a case.
type CaseResult string

// The results of cases.
const (
	CasePassed          CaseResult = "passed"
	CaseFailed          CaseResult = "failed"
	CaseWarning         CaseResult = "warning"
	CaseExpectedFailure CaseResult = "expectedFailure"
	CaseKnownIssue      CaseResult = "knownIssue"
	// CaseUnreviewed is a known issue not reviewed for the running version.
	CaseUnreviewed    CaseResult = "unreviewed"
	CaseBlocked       CaseResult = "blocked"
	CaseNotApplicable CaseResult = "notApplicable"
	// CaseNotSelected means the user excluded the case.
	CaseNotSelected CaseResult = "notSelected"
)

// ConformanceCase is one case of the suite.
type ConformanceCase struct {
	RequiredCase `json:",inline"`

	Result CaseResult `json:"result" jsonschema:"enum=passed,enum=failed,enum=warning,enum=expectedFailure,enum=knownIssue,enum=unreviewed,enum=blocked,enum=notApplicable,enum=notSelected"`
	// Reason explains a result other than passed, SkipCode is the machine-readable reason for a skipped
	// case.
	Reason   string        `json:"reason,omitempty"`
	SkipCode spec.SkipCode `json:"skipCode,omitempty"`
	Attempts []Attempt     `json:"attempts,omitempty"`
	// Evidence are the files collected for the case.
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

// AllFiles are all files with a digest: those of the run and the evidence of its cases.
func (r ConformanceReport) AllFiles() []File {
	files := slices.Clone(r.Files)
	for _, c := range r.Cases {
		files = append(files, c.Evidence...)
	}
	return files
}

// FileName is a file name for copies of the report, made of the Kubernetes version, the project's or
// driver's name and version, and the day.
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

// ErrOtherVersion means the report has a schema version unsupported by this dratest.
var ErrOtherVersion = errors.New("the version of the schema is another one")

// DecodeConformance reads a conformance report. It rejects other versions (ErrOtherVersion), unknown
// and duplicate fields, and makes texts Printable.
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
