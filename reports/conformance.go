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

package reports

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Facts has the contents of a conformance report besides the run's report.
type Facts struct {
	Implementation schema.Implementation
	Engine         schema.Engine
	// Certificate is nil except for certifications.
	Certificate *schema.Certificate
	// Command is dratest's command line.
	Command []string
	// Binary is the digest of the dratest binary.
	Binary string
	// Required are all cases of the suite, with the profiles requiring them.
	Required []schema.RequiredCase
	// Files are the run's files with their digests.
	Files []schema.File
}

// userinfo is the user and password of a URL.
var userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#]+@`)

// withoutUserinfo removes credentials from the URLs of a command line, as reports are published.
func withoutUserinfo(command []string) []string {
	var clean []string
	for _, arg := range command {
		clean = append(clean, userinfo.ReplaceAllString(arg, "$1"))
	}
	return clean
}

// Conformance derives the conformance report of a run from its judged report, the outcomes of all
// attempts and the facts. It is reproducible for verification.
func Conformance(r schema.Report, outcomes []spec.Outcome, f Facts) schema.ConformanceReport {
	c := schema.ConformanceReport{
		APIVersion:     schema.ConformanceVersion,
		Kind:           schema.ConformanceKind,
		Engine:         f.Engine,
		Implementation: f.Implementation,
		Suite:          schema.ConformanceSuite{Suite: r.Suite, Binary: f.Binary, RequiredCases: schema.RequiredDigest(f.Required)},
		Cluster:        r.Cluster,
		Driver:         r.Driver,
		Run: schema.Invocation{
			Command: withoutUserinfo(f.Command), Selection: r.Selection, Seed: r.Seed, Started: r.Started.UTC(), Ended: r.Ended.UTC(), Verdict: r.Summary.Verdict,
		},
		Profile:  r.Profile,
		Summary:  r.Summary,
		Problems: r.Problems,
		Cases:    []schema.ConformanceCase{},
		Files:    []schema.File{},
	}
	ran := map[string]schema.Case{}
	for _, rc := range r.Cases {
		ran[rc.ID] = rc
	}
	attempts := attemptsOf(r.Cases, outcomes)
	for _, required := range f.Required {
		rc, selected := ran[required.ID]
		c.Cases = append(c.Cases, conformanceCase(required, rc, selected, attempts[required.ID], f.Files))
		addIssues(&c.KnownIssues, rc)
	}
	for _, file := range f.Files {
		if folder := FolderOf(f.Engine); !strings.Contains(file.Path, "/") || within(folder, file.Path) {
			c.Files = append(c.Files, file)
		}
	}
	c.Result, c.Reasons = r.Outcome()
	c.Profiles = []schema.Profile{}
	if r.Selected() == "" {
		c.Profiles = profiles(slices.DeleteFunc(slices.Clone(c.Cases), func(each schema.ConformanceCase) bool {
			return r.Profile != nil && !slices.Contains(each.Profiles, r.Profile.Name)
		}), r.Cluster)
	}
	if f.Certificate != nil {
		certify(&c, *f.Certificate)
	}
	return c
}

func conformanceCase(required schema.RequiredCase, rc schema.Case, selected bool, attempts []schema.Attempt, files []schema.File) schema.ConformanceCase {
	c := schema.ConformanceCase{RequiredCase: required, Attempts: attempts}
	if !selected {
		c.Result, c.Reason = schema.CaseNotSelected, "the filter of the run leaves it out"
		return c
	}
	c.Result, c.SkipCode = rc.Result(), rc.SkipCode
	c.Reason = rc.Reason
	if c.Reason == "" {
		c.Reason = strings.TrimSpace(rc.Failure)
	}
	for _, file := range files {
		if strings.HasPrefix(file.Path, schema.EvidenceFolder(rc.ID)+"/") {
			c.Evidence = append(c.Evidence, file)
		}
	}
	return c
}

// attemptsOf returns the attempts at each case in order. An attempt without an outcome, because it was
// killed, is taken from the report.
func attemptsOf(cases []schema.Case, outcomes []spec.Outcome) map[string][]schema.Attempt {
	attempts := map[string][]schema.Attempt{}
	for _, o := range outcomes {
		reason := o.Reason
		if reason == "" {
			reason = strings.TrimSpace(o.Failure)
		}
		attempts[o.ID] = append(attempts[o.ID], schema.Attempt{
			Status: o.Status, Started: o.Started.UTC(), DurationSeconds: seconds(o.Duration), Reason: reason,
		})
	}
	for _, c := range cases {
		if len(attempts[c.ID]) == 0 && !c.Started.IsZero() {
			attempts[c.ID] = []schema.Attempt{{Status: c.Status, Started: c.Started.UTC(), DurationSeconds: c.DurationSeconds, Reason: c.Reason}}
		}
	}
	return attempts
}

func addIssues(issues *schema.Issues, c schema.Case) {
	switch {
	case c.KnownIssue == nil:
	case c.Status == spec.Known, c.Status == spec.Unreviewed:
		issues.Seen = append(issues.Seen, schema.SeenIssue{Issue: c.KnownIssue.Issue, Case: c.ID, Basis: c.Basis, What: c.Reason})
	case c.ClosedHere != "":
		issues.Closed = append(issues.Closed, schema.SeenIssue{Issue: c.KnownIssue.Issue, Case: c.ID, Basis: c.Basis, What: c.ClosedHere})
	}
}
