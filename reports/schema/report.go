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

// Version is the version of the schema that this package describes.
const Version = "dra-conformance.github.io/v1alpha2"

// Report is the content of report.json.
type Report struct {
	SchemaVersion string    `json:"schemaVersion"`
	Suite         Suite     `json:"suite"`
	Cluster       Cluster   `json:"cluster"`
	Driver        Driver    `json:"driver"`
	Selection     Selection `json:"selection"`
	// Seed is that of the order in which cases ran.
	Seed    int64     `json:"seed"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// DurationSeconds is the time from Started to Ended.
	DurationSeconds float64 `json:"durationSeconds"`
	Summary         Summary `json:"summary"`
	// Problems are what went wrong beside the cases; with any the run is not
	// complete.
	Problems []string `json:"problems,omitempty"`
	Cases    []Case   `json:"cases"`
}

// Suite says which dratest ran.
type Suite struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// Modified is true where the source differed from Commit.
	Modified bool `json:"modified,omitempty"`
}

// Cluster says what was tested.
type Cluster struct {
	// Provider made or found the cluster: "kind", "controlplane" or "existing".
	Provider     string            `json:"provider,omitempty"`
	Server       string            `json:"server"`
	Kubernetes   string            `json:"kubernetes"`
	ResourceAPIs []string          `json:"resourceAPIs"`
	Components   map[string]string `json:"components,omitempty"`
	Stack        map[string]string `json:"stack,omitempty"`
	// Running says of each scheduler, controller manager and kubelet whose it is, and how
	// that is known.
	Running     []spec.Component      `json:"running,omitempty"`
	Runtimes    []string              `json:"runtimes,omitempty"`
	Nodes       []spec.Node           `json:"nodes"`
	Gates       map[spec.Feature]bool `json:"gates,omitempty"`
	GatesUnseen string                `json:"gatesUnseen,omitempty"`
	// Observed says of features where objects of the cluster use them.
	Observed map[spec.Feature]string `json:"observed,omitempty"`
}

// Driver is the DRA driver that the cases used.
type Driver struct {
	Name  string `json:"name"`
	Image string `json:"image,omitempty"`
	// Digests are those of the images that run, as the container runtimes tell.
	Digests []string `json:"digests,omitempty"`
}

// Selection is what the user asked for.
type Selection struct {
	Focus  []string `json:"focus,omitempty"`
	Skip   []string `json:"skip,omitempty"`
	Labels string   `json:"labels,omitempty"`
	// Profile is core or conformance where not all cases were asked for.
	Profile string `json:"profile,omitempty"`
	// Mutant is the way in which the test driver was broken on purpose.
	Mutant spec.MutantID `json:"mutant,omitempty"`
	// AssumeStock are the components of which the user said that they are Kubernetes' own.
	AssumeStock []string `json:"assumeStock,omitempty"`
	// Strict is whether known issues counted as failures.
	Strict   bool `json:"strict,omitempty"`
	Parallel int  `json:"parallel"`
}

// Verdict is what a run came to.
type Verdict string

// The verdicts.
const (
	Passed Verdict = "Passed"
	Failed Verdict = "Failed"
	// Incomplete: no case failed, but some have no verdict or needed a retry.
	Incomplete Verdict = "Incomplete"
	// NothingRan and NothingPassed count as failures, as they show nothing.
	NothingRan Verdict = "NothingRan"
	// NothingPassed: cases ran, and all that they have seen are warnings and known issues.
	NothingPassed Verdict = "NothingPassed"
)

// Summary counts the cases.
type Summary struct {
	Verdict Verdict `json:"verdict"`
	Total   int     `json:"total"`
	Passed  int     `json:"passed"`
	// Failed counts the failed cases that check what must be, Warnings the others.
	Failed   int `json:"failed"`
	Warnings int `json:"warnings,omitempty"`
	// KnownIssues counts the cases that saw what Kubernetes is known for.
	KnownIssues int `json:"knownIssues,omitempty"`
	// ClosedHere counts the cases among Passed that know an issue which is not there.
	ClosedHere    int `json:"closedHere,omitempty"`
	Blocked       int `json:"blocked"`
	NotApplicable int `json:"notApplicable"`
	// Retried counts the cases among Passed and KnownIssues that failed first.
	Retried int `json:"retried,omitempty"`
	// MedianSeconds and MaxSeconds are over the cases that ran to their end.
	MedianSeconds float64 `json:"medianSeconds"`
	MaxSeconds    float64 `json:"maxSeconds"`
}

// String is the numbers of cases in words.
func (s Summary) String() string {
	some := ""
	for _, c := range []struct {
		number int
		what   string
	}{{s.Warnings, "warning"}, {s.KnownIssues, "known issue"}} {
		switch {
		case c.number == 1:
			some += fmt.Sprintf("1 %s, ", c.what)
		case c.number > 1:
			some += fmt.Sprintf("%d %ss, ", c.number, c.what)
		}
	}
	return fmt.Sprintf("%d passed, %d failed, %s%d blocked, %d not applicable", s.Passed, s.Failed, some, s.Blocked, s.NotApplicable)
}

// Case is one case and what it came to.
type Case struct {
	ID     string `json:"id"`
	Checks string `json:"checks"`
	// Labels are Conformance, "Feature:X", "KEP-4381", Slow, Serial, Disruptive and the area.
	Labels []string `json:"labels,omitempty"`
	// Requirements are what the case checks; one that is a MUST makes a failure count.
	Requirements []spec.Requirement `json:"requirements"`
	Status       spec.Status        `json:"status"`
	// Started is missing for cases that did not start.
	Started         time.Time `json:"started,omitzero"`
	DurationSeconds float64   `json:"durationSeconds"`
	// WaitsFor names the delay of Kubernetes' own that the case waits out.
	WaitsFor string `json:"waitsFor,omitempty"`
	// SkipCode and Reason say why a case has no verdict, KnownIssue and Reason which
	// it saw, Basis how it is known that the components with it are Kubernetes' own.
	// ClosedHere names components that should have had the KnownIssue, which was not
	// seen.
	KnownIssue *spec.KnownIssue `json:"knownIssue,omitempty"`
	Basis      spec.Basis       `json:"basis,omitempty"`
	ClosedHere string           `json:"closedHere,omitempty"`
	SkipCode   spec.SkipCode    `json:"skipCode,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Failure    string           `json:"failure,omitempty"`
	LastStep   string           `json:"lastStep,omitempty"`
	Location   string           `json:"location,omitempty"`
	// Evidence is a folder relative to the report's.
	Evidence string `json:"evidence,omitempty"`
	// Timeline is a file relative to it, too.
	Timeline string `json:"timeline,omitempty"`
	// Attempts is how often the case ran where that is more than once.
	Attempts int `json:"attempts,omitempty"`
	// Measured are the numbers that the case came to, which decide nothing here.
	Measured []spec.Measurement `json:"measured,omitempty"`
}

// EvidenceFolder is where the evidence of a case is, relative to the report.
func EvidenceFolder(id string) string { return "cases/" + strings.ReplaceAll(id, "/", ".") }

// Warning tells whether a case failed that checks nothing that must be (RFC 2119): it
// fails no run.
func (c Case) Warning() bool {
	must := func(r spec.Requirement) bool { return r.Level != spec.Should && r.Level != spec.May }
	return c.Status == spec.Failed && len(c.Requirements) > 0 && !slices.ContainsFunc(c.Requirements, must)
}

// Closed says which known issue was not seen, and where; empty for most cases.
func (c Case) Closed() string {
	if c.ClosedHere == "" || c.KnownIssue == nil {
		return ""
	}
	return fmt.Sprintf("closed here: %s was not seen by case %s on %s (%s)", c.KnownIssue.Issue, c.ID, c.ClosedHere, c.Basis)
}

// Encode writes a report as JSON that people can read, too.
func Encode(r Report) ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return append(data, '\n'), nil
}

// Decode reads a report and refuses other schema versions and unknown fields.
func Decode(data []byte) (Report, error) {
	var head struct {
		SchemaVersion string `json:"schemaVersion"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Report{}, fmt.Errorf("decode report: %w", err)
	}
	if head.SchemaVersion != Version {
		return Report{}, fmt.Errorf("decode report: its schema version is %q, this dratest reads %s", head.SchemaVersion, Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var r Report
	if err := decoder.Decode(&r); err != nil {
		return Report{}, fmt.Errorf("decode report: %w", err)
	}
	return r, nil
}
