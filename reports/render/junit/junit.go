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

package junit

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// Render returns the content of junit_01.xml. Blocked cases are errors, so that
// CI does not take an incomplete run for a good one.
func Render(r schema.Report) ([]byte, error) {
	s := r.Summary
	suite := reporters.JUnitTestSuite{
		Name:      "dratest",
		Package:   "dratest",
		Tests:     s.Total,
		Skipped:   s.NotApplicable + s.KnownIssues,
		Errors:    s.Blocked,
		Failures:  s.Failed,
		Time:      r.DurationSeconds,
		Timestamp: r.Started.UTC().Format(time.RFC3339),
		Properties: reporters.JUnitProperties{Properties: []reporters.JUnitProperty{
			{Name: "verdict", Value: string(s.Verdict)},
			{Name: "suite", Value: strings.TrimSpace(r.Suite.Version + " " + r.Suite.Commit)},
			{Name: "kubernetes", Value: r.Cluster.Kubernetes},
			{Name: "runtimes", Value: strings.Join(r.Cluster.Runtimes, ",")},
			{Name: "driver", Value: r.Driver.Name},
			{Name: "seed", Value: fmt.Sprint(r.Seed)},
		}},
	}
	// What went wrong beside the cases must be red, too, where all cases passed.
	for _, p := range r.Problems {
		suite.Tests, suite.Errors = suite.Tests+1, suite.Errors+1
		suite.TestCases = append(suite.TestCases, reporters.JUnitTestCase{
			Name: "the run itself", Classname: "dratest.run", Status: "error",
			Error: &reporters.JUnitError{Message: firstLine(p), Type: "problem", Description: p},
		})
	}
	for _, c := range r.Cases {
		suite.TestCases = append(suite.TestCases, testCase(c))
	}
	data, err := xml.MarshalIndent(reporters.JUnitTestSuites{
		Tests: suite.Tests, Disabled: suite.Skipped, Errors: suite.Errors, Failures: suite.Failures, Time: suite.Time,
		TestSuites: []reporters.JUnitTestSuite{suite},
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("render JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}

func testCase(c schema.Case) reporters.JUnitTestCase {
	area, _, _ := strings.Cut(c.ID, "/")
	out := reporters.JUnitTestCase{
		Name: c.ID + " " + c.Checks, Classname: "dratest." + area,
		Status: strings.ToLower(string(c.Status)), Time: c.DurationSeconds,
	}
	if c.Warning() {
		out.Status, out.SystemOut = "warning", description(c)
		return out
	}
	switch c.Status {
	case spec.Failed:
		out.Failure = &reporters.JUnitFailure{Message: firstLine(c.Failure), Type: "failed", Description: description(c)}
	case spec.Blocked:
		out.Error = &reporters.JUnitError{Message: c.Reason, Type: "blocked", Description: description(c)}
	case spec.Known:
		out.Skipped = &reporters.JUnitSkipped{Message: "known issue of Kubernetes - " + c.Reason}
	case spec.NotApplicable:
		out.Skipped = &reporters.JUnitSkipped{Message: "skipped - " + c.Reason}
	case spec.Passed:
		out.SystemOut = c.Closed()
	}
	return out
}

func description(c schema.Case) string {
	var lines []string
	for _, l := range []struct{ name, text string }{
		{"", c.Failure}, {"last: ", c.LastStep}, {"at: ", c.Location}, {"evidence: ", c.Evidence},
	} {
		if l.text != "" {
			lines = append(lines, l.name+l.text)
		}
	}
	return strings.Join(lines, "\n")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
