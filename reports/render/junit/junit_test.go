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

package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	parser "github.com/joshdk/go-junit"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/render/junit"
	"github.com/dra-conformance/dratest/reports/schema"
)

func must(id string) spec.Meta {
	return spec.Meta{ID: id, Checks: "It holds.", Requires: []spec.RequirementID{"k/must"}}
}

func outcome(id string, status spec.Status) spec.Outcome {
	return spec.Outcome{ID: id, Status: status, Duration: 1500 * time.Millisecond}
}

// parsed parses a report with go-junit.
func parsed(t *testing.T, data []byte) parser.Suite {
	t.Helper()
	suites, err := parser.Ingest(data)
	if err != nil || len(suites) != 1 {
		t.Fatalf("%d suites, %v", len(suites), err)
	}
	accepted(t, data)
	return suites[0]
}

func rendered(t *testing.T, plan []spec.Entry, outcomes []spec.Outcome, info reports.Info) parser.Suite {
	t.Helper()
	r := reports.Build(spec.Plan{Target: spec.Target{Kubernetes: "v1.37.1", Stack: map[string]string{"scheduler": "own", "kubelet": "stock"}}, Entries: plan}, outcomes, info)
	data, err := junit.Render(r)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, data)
}

func TestViolationsAreTestcases(t *testing.T) {
	data, err := junit.Render(schema.Report{Findings: []spec.Finding{
		{Rule: "lease-lost", Severity: spec.Warning, Text: "a"},
		{Rule: "double-allocated", Severity: spec.Violation, Text: "b", Cases: []string{"core/x"}}, {Rule: "double-allocated", Severity: spec.Violation, Text: "c"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<testcase name="monitor/double-allocated" classname="dratest.monitor"`, `<failure type="violation"`, " b (during core/x)", " c</failure>", `failures="1"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
	if strings.Contains(string(data), "lease-lost") {
		t.Error("a warning fails")
	}
}

func TestEveryOutcomeIsToldApart(t *testing.T) {
	renamed := must("core/renamed")
	renamed.Aliases = []string{"core/first"}
	warning := must("core/warning")
	warning.Requires = []spec.RequirementID{"k/should"}
	plan := []spec.Entry{
		{Meta: renamed}, {Meta: must("core/failed")}, {Meta: warning}, {Meta: must("core/known")}, {Meta: must("core/blocked")}, {Meta: must("core/retried")},
		{Meta: must("core/expected")}, {Meta: must("core/mended")}, {Meta: must("core/skipped"), Skip: &spec.Skip{Code: spec.SkipNodes, Text: "needs 2 nodes"}},
	}
	failed := outcome("core/failed", spec.Failed)
	failed.Failure, failed.Location = "expected 1\n\x1b[31mgot 2\x1b[0m\x00 <&]]>", "suites/core/failed.go:12"
	known := outcome("core/known", spec.Known)
	known.Reason = "kubernetes#1: seen"
	blocked := outcome("core/blocked", spec.Blocked)
	blocked.Reason = "no agent"
	expect := func(id string) schema.Expectation {
		return schema.Expectation{Case: id, Reason: "known here", Issue: "example#1", Until: "2027-03-31"}
	}
	expected := outcome("core/expected", spec.Failed)
	expected.Failure, expected.Evidence = "expected 3", "cases/core.expected"
	s := rendered(t, plan, []spec.Outcome{
		expected, outcome("core/mended", spec.Passed), outcome("core/renamed", spec.Passed), failed, outcome("core/warning", spec.Failed), known, blocked, outcome("core/retried", spec.Failed), outcome("core/retried", spec.Passed),
	}, reports.Info{
		Provider: "kind", Selection: schema.Selection{Strict: true, Expectations: []schema.Expectation{expect("core/expected"), expect("core/mended")}}, Problems: []string{"the disk is full"},
		Requirements: []spec.Requirement{{ID: "k/must", Level: spec.Must}, {ID: "k/should", Level: spec.Should}},
	})
	type row struct {
		Status            parser.Status
		Message, Out, Err string
	}
	got := map[string]row{}
	for _, c := range s.Tests {
		r := row{Status: c.Status, Message: c.Message, Out: c.SystemOut}
		if c.Error != nil {
			r.Err = c.Error.Error()
		}
		got[c.Name] = r
	}
	for name, want := range map[string]row{
		"the run itself": {parser.StatusError, "failed: 3 passed", "", "the disk is full"},
		"core/renamed":   {parser.StatusPassed, "", "", ""},
		"core/failed":    {parser.StatusFailed, "expected 1", "", "got 2\ufffd <&]]>"},
		"core/warning":   {parser.StatusPassed, "", "", ""},
		"core/known":     {parser.StatusSkipped, "kubernetes#1: seen", "known issue of Kubernetes: kubernetes#1: seen", ""},
		"core/expected":  {parser.StatusSkipped, "known here (example#1, until 2027-03-31)", "expected 3\nevidence: cases/core.expected", ""},
		"core/mended":    {parser.StatusPassed, "", "unexpectedly passed: known here (example#1, until 2027-03-31)", ""},
		"core/blocked":   {parser.StatusError, "no agent", "", "no agent"},
		"core/retried":   {parser.StatusPassed, "", "attempt 2 after failed ones", ""},
		"core/skipped":   {parser.StatusSkipped, "needs 2 nodes", "not applicable: needs 2 nodes", ""},
	} {
		g := got[name]
		if g.Status != want.Status || !strings.HasPrefix(g.Message, want.Message) || !strings.Contains(g.Out, want.Out) || !strings.Contains(g.Err, want.Err) {
			t.Errorf("%s: %+v, want %+v", name, g, want)
		}
	}
	if len(s.Tests) != 10 || s.Totals.Tests != 10 || s.Totals.Error != 2 || s.Totals.Failed != 1 || s.Totals.Skipped != 3 {
		t.Errorf("%d tests, %+v", len(s.Tests), s.Totals)
	}
	for name, want := range map[string]string{"provider": "kind", "stack": "scheduler=own", "mode": "strict", "verdict": "Failed", "kubernetes": "v1.37.1"} {
		if s.Properties[name] != want {
			t.Errorf("property %s is %q, want %q", name, s.Properties[name], want)
		}
	}
	if f := s.Tests[2].Properties; f["file"] != "suites/core/failed.go" || f["line"] != "12" {
		t.Errorf("%v", f)
	}
}

// Sonobuoy and all CI systems showed runs without results or with retries as passed.
func TestWhatHasNotPassedIsRed(t *testing.T) {
	skipped := spec.Entry{Meta: must("core/a"), Skip: &spec.Skip{Code: spec.SkipNodes, Text: "needs 2 nodes"}}
	for name, s := range map[string]parser.Suite{
		"nothing ran":     rendered(t, []spec.Entry{skipped}, nil, reports.Info{}),
		"a case retried":  rendered(t, []spec.Entry{{Meta: must("core/a")}}, []spec.Outcome{outcome("core/a", spec.Failed), outcome("core/a", spec.Passed)}, reports.Info{}),
		"nothing passed":  rendered(t, []spec.Entry{{Meta: must("core/a")}}, []spec.Outcome{outcome("core/a", spec.Known)}, reports.Info{}),
		"a problem":       rendered(t, []spec.Entry{{Meta: must("core/a")}}, []spec.Outcome{outcome("core/a", spec.Passed)}, reports.Info{Problems: []string{"lost"}}),
		"did not start":   parsed(t, whole(junit.Error(time.Unix(0, 0), "no cluster\x1b[2J answers"))),
		"several in line": rendered(t, []spec.Entry{{Meta: must("core/a")}, {Meta: must("core/b")}}, []spec.Outcome{outcome("core/a", spec.Passed)}, reports.Info{}),
	} {
		if len(s.Tests) == 0 || s.Tests[0].Status != parser.StatusError || s.Tests[0].Name != "the run itself" || s.Totals.Error == 0 || s.Tests[0].Message == "" {
			t.Errorf("%s: %+v", name, s.Totals)
		}
	}
	if s := rendered(t, []spec.Entry{{Meta: must("core/a")}}, []spec.Outcome{outcome("core/a", spec.Passed)}, reports.Info{}); s.Totals.Error != 0 || len(s.Tests) != 1 {
		t.Errorf("a passed run: %+v", s.Totals)
	}
}

func whole(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// accepted validates a file by the rules of junit-10.xsd of Jenkins' xunit plugin, plus the additions
// named in xml.go: known elements and attributes, required attributes, and numbers of seconds.
func accepted(t *testing.T, data []byte) {
	t.Helper()
	type element struct{ required, optional, children []string }
	with := func(names ...string) []string { return names }
	note := element{optional: with("type", "message")}
	known := map[string]element{
		"testsuites":   {nil, with("name", "time", "tests", "failures", "errors"), with("testsuite")},
		"testsuite":    {with("name", "tests", "failures", "errors"), with("time", "skipped", "timestamp"), with("properties", "testcase")},
		"testcase":     {with("name"), with("time", "classname", "file", "line"), with("properties", "skipped", "error", "failure", "flakyFailure", "system-out")},
		"properties":   {nil, nil, with("property")},
		"property":     {with("name", "value"), nil, nil},
		"flakyFailure": {with("type"), with("message"), nil},
		"skipped":      note, "error": note, "failure": note,
		"system-out": {},
	}
	seconds := regexp.MustCompile(`^[0-9]*\.[0-9]*$`)
	var open []string
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			if len(open) > 0 && !slices.Contains(known[open[len(open)-1]].children, name) {
				t.Errorf("%s in %s", name, open)
			}
			missing := known[name].required
			for _, a := range e.Attr {
				if !slices.Contains(slices.Concat(known[name].required, known[name].optional), a.Name.Local) {
					t.Errorf("attribute %s of %s", a.Name.Local, name)
				}
				if a.Name.Local == "time" && !seconds.MatchString(a.Value) {
					t.Errorf("time %q of %s", a.Value, name)
				}
				missing = slices.DeleteFunc(slices.Clone(missing), func(name string) bool { return name == a.Name.Local })
			}
			if len(missing) > 0 {
				t.Errorf("%s lacks attributes %v", name, missing)
			}
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if d := cmp.Diff(spec.Printable(string(e)), string(e)); d != "" {
				t.Error(d)
			}
		}
	}
}
