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

package cncf_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/render/cncf"
	"github.com/dra-conformance/dratest/reports/schema"
)

// read returns the conformance report of a real run: "stock" has a known issue, "run" a failed case.
func read(t *testing.T, name string) schema.ConformanceReport {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name + "/conformance-report.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func render(t *testing.T, c schema.ConformanceReport) map[string][]byte {
	t.Helper()
	files, err := cncf.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The Go tool derives results.json from e2e.log.
func TestLogIsOfGoTest(t *testing.T) {
	hostile := read(t, "run")
	for i := range hostile.Cases {
		hostile.Cases[i].Reason += "\n--- PASS: TestX (0.00s)\n=== RUN   TestX\nPASS\nok  \tx\t1s"
	}
	for name, c := range map[string]schema.ConformanceReport{"known issue": read(t, "stock"), "failed": read(t, "run"), "reasons like the grammar": hostile} {
		files := render(t, c)
		tool := exec.CommandContext(t.Context(), "go", "tool", "test2json", "-p", "github.com/dra-conformance/dratest/suites")
		tool.Stdin = bytes.NewReader(files[cncf.LogFile])
		converted, err := tool.Output()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(events(t, converted), events(t, files[cncf.ResultsFile])); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// events parses "go test -json" without the fields missing in text.
func events(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range bytes.Lines(data) {
		var e map[string]any
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"Time", "Elapsed", "OutputType"} {
			delete(e, field)
		}
		all = append(all, e)
	}
	return all
}

func TestWhatCasesBecome(t *testing.T) {
	all := []schema.CaseResult{
		schema.CasePassed, schema.CaseFailed, schema.CaseExpectedFailure, schema.CaseWarning, schema.CaseKnownIssue, schema.CaseBlocked, schema.CaseNotApplicable, schema.CaseNotSelected,
	}
	want := map[schema.CaseResult]string{schema.CasePassed: "PASS", schema.CaseFailed: "FAIL", schema.CaseExpectedFailure: "FAIL", schema.CaseBlocked: "FAIL"}
	for _, result := range all {
		c := schema.ConformanceReport{Cases: []schema.ConformanceCase{{RequiredCase: schema.RequiredCase{ID: "a/b-c", Level: spec.Should}, Result: result, Reason: "why"}}}
		log := string(render(t, c)[cncf.LogFile])
		word := want[result]
		if word == "" {
			word = "SKIP"
		}
		if !strings.Contains(log, "\n--- "+word+": TestDRAA_BC (0.00s)\n") || result != schema.CasePassed && !strings.Contains(log, "why") {
			t.Errorf("%s:\n%s", result, log)
		}
	}
}

func TestNames(t *testing.T) {
	seen := map[string]string{}
	for _, c := range read(t, "run").Cases {
		name := cncf.TestName(c.ID)
		if other, taken := seen[name]; taken {
			t.Errorf("%s and %s are both %s", other, c.ID, name)
		}
		if !strings.HasPrefix(name, "TestDRA") {
			t.Errorf("%s may be a name of others", name)
		}
		seen[name] = c.ID
	}
	if got := cncf.TestName("core/one-device-v1beta1"); got != "TestDRACore_OneDeviceV1beta1" {
		t.Error(got)
	}
	if got := cncf.Folder(read(t, "run")); got != "v1.37/example-distribution" {
		t.Error(got)
	}
	if got := cncf.Folder(schema.ConformanceReport{Implementation: schema.Implementation{Project: "../../etc"}}); strings.Contains(got, "..") {
		t.Error(got)
	}
}

func TestReadme(t *testing.T) {
	readme := string(render(t, read(t, "stock"))[cncf.ReadmeFile])
	for _, want := range []string{
		"# DRA conformance of example-distribution v1.2.3 on Kubernetes v1.37.1", "## How to reproduce",
		"dratest run --kubeconfig kc.yaml --identity id.yaml --focus '^(api|core)/' --report-dir results/stock --seed 7",
		"## Known issues of Kubernetes\n\n- `core/ended-pod`", "kubernetes#141274",
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("no %q in\n%s", want, readme)
		}
	}
}
