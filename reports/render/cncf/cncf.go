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

package cncf

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/reports/schema"
)

// File names of a submission. The program's validator expects the first three names, and a Ginkgo log
// must not be called e2e.log.
const (
	JUnitFile   = "junit.xml"
	ResultsFile = "results.json"
	LogFile     = "e2e.log"
	ReadmeFile  = "README.md"
	ProductFile = "PRODUCT.yaml"
)

// pkg is the Go package reported for the tests.
const pkg = "github.com/dra-conformance/dratest/suites"

// Render returns the files of a submission by name.
func Render(c schema.ConformanceReport) (map[string][]byte, error) {
	tests := testsOf(c)
	events := eventsOf(c, tests)
	junit, err := renderJUnit(c, tests)
	if err != nil {
		return nil, err
	}
	results, err := renderResults(events)
	if err != nil {
		return nil, err
	}
	product, err := renderProduct(c)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		JUnitFile: junit, ResultsFile: results, LogFile: renderLog(events), ReadmeFile: renderReadme(c), ProductFile: product,
	}, nil
}

// Folder returns the submission's directory in the program's repository, such as "v1.37/product".
func Folder(c schema.ConformanceReport) string {
	product := notInNames.ReplaceAllString(strings.ToLower(cmp.Or(c.Implementation.Project, c.Driver.Name, "dratest")), "-")
	return minor(c.Cluster.Kubernetes) + "/" + strings.Trim(product, "-")
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// minor returns "v1.37" for "v1.37.1".
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// TestName returns the Go test name of a case: TestDRACore_OneDevice for core/one-device.
func TestName(id string) string {
	area, what, _ := strings.Cut(id, "/")
	return "TestDRA" + camel(area) + "_" + camel(what)
}

func camel(kebab string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(kebab, "-") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// test is a case as a Go test.
type test struct {
	name    string
	action  string // pass, fail or skip
	note    string // reason for not passing
	started time.Time
	seconds float64
}

// testsOf returns the tests of all required cases. A case without a verdict fails; known issues and
// warnings are skipped.
func testsOf(c schema.ConformanceReport) []test {
	var tests []test
	for _, each := range c.Cases {
		t := test{name: TestName(each.ID), action: "skip", started: c.Run.Ended}
		if n := len(each.Attempts); n > 0 {
			t.started, t.seconds = each.Attempts[n-1].Started, each.Attempts[n-1].DurationSeconds
		}
		switch each.Result {
		case schema.CasePassed:
			t.action = "pass"
			if n := len(each.Attempts); n > 1 {
				t.note = fmt.Sprintf("passed at attempt %d", n)
			}
		case schema.CaseFailed, schema.CaseExpectedFailure:
			t.action, t.note = "fail", each.Reason
		case schema.CaseBlocked, schema.CaseUnreviewed:
			t.action, t.note = "fail", "no verdict: "+each.Reason
		case schema.CaseKnownIssue:
			t.note = "known issue of Kubernetes: " + each.Reason
		case schema.CaseWarning:
			t.note = "warning, level " + string(each.Level) + ": " + each.Reason
		default:
			t.note = each.Reason
		}
		tests = append(tests, t)
	}
	return tests
}

// failed reports whether any test failed.
func failed(tests []test) bool {
	for _, t := range tests {
		if t.action == "fail" {
			return true
		}
	}
	return false
}
