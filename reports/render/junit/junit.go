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
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// theRun is the name of the testcase for the run as a whole.
const theRun = "the run itself"

// Render returns the content of junit_01.xml. Blocked cases and a run not passed are errors: CI
// systems have no other representation of incomplete results.
func Render(r schema.Report) ([]byte, error) {
	s := suite{
		Name: "dratest", Time: seconds(r.DurationSeconds), Timestamp: r.Started.UTC().Format(time.RFC3339),
		Properties: properties(
			"verdict", string(r.Summary.Verdict),
			"suite", strings.TrimSpace(r.Suite.Version+" "+r.Suite.Commit),
			"kubernetes", r.Cluster.Kubernetes,
			"provider", r.Cluster.Provider,
			"stack", stack(r.Cluster.Stack),
			"mode", mode(r.Selection),
			"profile", r.Selection.Profile,
			"selection", r.Selected(),
			"runtimes", strings.Join(r.Cluster.Runtimes, ","),
			"driver", r.Driver.Name,
			"seed", fmt.Sprint(r.Seed),
		),
	}
	if result, reasons := r.Outcome(); result != schema.ResultPassed {
		reasons = slices.Compact(append(slices.Clone(r.Problems), reasons...))
		s.Cases = append(s.Cases, failedRun(fmt.Sprintf("%s: %s", result, r.Summary), reasons))
	}
	s.Cases = append(s.Cases, violations(r.Findings)...)
	for _, c := range r.Cases {
		s.Cases = append(s.Cases, testCase(c))
	}
	return s.encode()
}

// Error returns the content of junit_01.xml for a run failed to start.
func Error(started time.Time, why string) ([]byte, error) {
	why = spec.Printable(why)
	s := suite{Name: "dratest", Time: seconds(0), Timestamp: started.UTC().Format(time.RFC3339), Cases: []testcase{failedRun(firstLine(why), []string{why})}}
	return s.encode()
}

func failedRun(what string, reasons []string) testcase {
	return testcase{
		Name: theRun, Classname: "dratest.run", Time: seconds(0),
		Error: &note{Type: "run", Message: what, Text: strings.Join(append([]string{what}, reasons...), "\n")},
	}
}

// violations are a failed testcase for each rule that monitors found broken.
func violations(findings []spec.Finding) []testcase {
	texts := map[spec.FindingRule][]string{}
	for _, f := range findings {
		if f.Severity == spec.Violation {
			texts[f.Rule] = append(texts[f.Rule], strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Time.UTC().Format(time.RFC3339), f.Text, during(f))))
		}
	}
	var all []testcase
	for _, rule := range slices.Sorted(maps.Keys(texts)) {
		text := strings.Join(texts[rule], "\n")
		all = append(all, testcase{
			Name: "monitor/" + string(rule), Classname: "dratest.monitor", Time: seconds(0),
			Failure: &note{Type: string(spec.Violation), Message: firstLine(text), Text: text},
		})
	}
	return all
}

// during names the cases that ran.
func during(f spec.Finding) string {
	if len(f.Cases) == 0 {
		return ""
	}
	return "(during " + strings.Join(f.Cases, ", ") + ")"
}

func testCase(c schema.Case) testcase {
	out := testcase{
		Name: c.ID, Classname: "dratest." + c.ID[:max(0, strings.IndexByte(c.ID, '/'))], Time: seconds(c.DurationSeconds),
		Properties: properties(
			"checks", c.Checks, "result", string(c.Result()), "aliases", strings.Join(c.Aliases, ","),
			"expected", expected(c), "attempts", attempts(c.Attempts), "skipCode", string(c.SkipCode), "evidence", c.Evidence,
		),
	}
	if file, line, ok := strings.Cut(c.Location, ":"); ok {
		out.File, out.Line = file, line
	}
	switch c.Result() {
	case schema.CaseWarning:
		out.SystemOut = description(c)
	case schema.CaseFailed:
		out.Failure = &note{Type: "failed", Message: message(c.Failure), Text: description(c)}
	case schema.CaseBlocked:
		out.Error = &note{Type: "blocked", Message: c.Reason, Text: cmp.Or(description(c), c.Reason)}
	case schema.CaseUnreviewed:
		out.Error = &note{Type: "unreviewed known issue", Message: c.Reason, Text: c.Reason}
	case schema.CaseExpectedFailure:
		out.Skipped, out.SystemOut = &note{Type: "expected failure", Message: expected(c)}, "failed as expected: "+expected(c)+"\n"+description(c)
	case schema.CaseKnownIssue:
		out.Skipped, out.SystemOut = &note{Type: "known issue", Message: c.Reason}, "known issue of Kubernetes: "+c.Reason
	case schema.CaseNotApplicable:
		out.Skipped, out.SystemOut = &note{Type: "not applicable", Message: c.Reason}, "not applicable: "+c.Reason
	case schema.CasePassed:
		if out.SystemOut = c.Closed(); c.PassedUnexpectedly() {
			out.SystemOut = strings.TrimSpace(out.SystemOut + "\nunexpectedly passed: " + expected(c))
		}
	}
	if c.Attempts > 1 && out.Failure == nil && out.Error == nil {
		text := fmt.Sprintf("attempt %d after failed ones", c.Attempts)
		out.Flaky = &note{Type: "flaky", Message: text}
		out.SystemOut = strings.TrimSpace(text + "\n" + out.SystemOut)
	}
	return out
}

// expected is why a case was expected to fail.
func expected(c schema.Case) string {
	if c.Expected == nil {
		return ""
	}
	return c.Expected.String()
}

func attempts(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprint(n)
}

// stack describes the provenance of the cluster's components.
func stack(whose map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(whose)) {
		if whose[name] != string(spec.Stock) {
			parts = append(parts, name+"="+whose[name])
		}
	}
	return cmp.Or(strings.Join(parts, ","), string(spec.Stock))
}

// mode describes selections changing the judgment of cases.
func mode(s schema.Selection) string {
	var modes []string
	if s.Strict {
		modes = append(modes, "strict")
	}
	if s.Mutant != "" {
		modes = append(modes, "mutant "+string(s.Mutant))
	}
	return cmp.Or(strings.Join(modes, ", "), "default")
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

// message returns the first line of a failure, with the last observation of a wait.
func message(failure string) string {
	what, seen := spec.LastSeen(failure)
	if what = firstLine(what); seen != "" {
		what += ": " + firstLine(seen)
	}
	return what
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// properties takes pairs of names and values and drops empty ones.
func properties(pairs ...string) *propertyList {
	var list propertyList
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list.Properties = append(list.Properties, property{pairs[i], pairs[i+1]})
		}
	}
	return &list
}
