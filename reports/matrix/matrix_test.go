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

package matrix_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

func report(kubernetes, stack string, results map[string]schema.CaseResult) schema.ConformanceReport {
	var r schema.ConformanceReport
	r.Cluster.Kubernetes, r.Driver.Name = kubernetes, "dra-sim"
	r.Cluster.Stack = map[string]string{"scheduler": stack, "kubelet": stack}
	for _, id := range []string{"a/one", "a/two", "b/<three>"} {
		if result := results[id]; result != "" {
			r.Cases = append(r.Cases, schema.ConformanceCase{RequiredCase: schema.RequiredCase{ID: id}, Result: result})
		}
	}
	r.Cases = append(r.Cases, schema.ConformanceCase{RequiredCase: schema.RequiredCase{ID: "c/not-asked-for"}, Result: schema.CaseNotSelected})
	r.Profiles = []schema.Profile{{Name: "core", Result: schema.ResultPassed, Counts: schema.Counts{Passed: 1, KnownIssues: 1}}}
	return r
}

func examples() []schema.ConformanceReport {
	took := report("v1.37.1", "own", map[string]schema.CaseResult{"a/two": schema.CasePassed, "b/<three>": schema.CaseFailed})
	took.Run.Ended = took.Run.Started.Add(90500 * time.Millisecond)
	took.Run.Verdict, took.Summary = schema.Failed, schema.Summary{Total: 2, Passed: 1, Failed: 1}
	took.Cases[0].Attempts = []schema.Attempt{{DurationSeconds: 3.14}}
	took.Cases[1].Attempts = []schema.Attempt{{DurationSeconds: 60}, {DurationSeconds: 2}}
	return []schema.ConformanceReport{
		report("v1.36.4", "stock", map[string]schema.CaseResult{"a/one": schema.CasePassed}),
		report("v1.37.1", "stock", map[string]schema.CaseResult{"a/one": schema.CasePassed, "a/two": schema.CaseKnownIssue}),
		took,
	}
}

func example() matrix.Table { return matrix.New(examples()) }

func TestMarkdown(t *testing.T) {
	want := `# DRA conformance

| run | v1.36.4 stock | v1.37.1 stock | v1.37.1 own |
|---|---|---|---|
| ` + "`verdict`" + ` | - | - | failed |
| ` + "`cases`" + ` | - | - | 1 passed, 1 failed, 0 blocked, 0 not applicable |
| ` + "`duration`" + ` | - | - | 90.5s |

| profile | v1.36.4 stock | v1.37.1 stock | v1.37.1 own |
|---|---|---|---|
| ` + "`core`" + ` | passed (1 of 2) | passed (1 of 2) | passed (1 of 2) |

| case | v1.36.4 stock | v1.37.1 stock | v1.37.1 own |
|---|---|---|---|
| ` + "`a/one`" + ` | passed | passed | - |
| ` + "`a/two`" + ` | - | knownIssue | passed 3.1s |
| ` + "`b/<three>`" + ` | - | - | failed 2.0s (2 attempts) |
`
	if d := cmp.Diff(want, string(matrix.Markdown(example()))); d != "" {
		t.Error(d)
	}
}

func TestDiffering(t *testing.T) {
	all := examples()
	want := []matrix.Row{{Name: "a/one", Cells: []string{"passed", ""}}, {Name: "a/two", Cells: []string{"knownIssue", "passed"}}, {Name: "b/<three>", Cells: []string{"", "failed"}}}
	if d := cmp.Diff(want, matrix.Differing(all[1:])); d != "" {
		t.Error(d)
	}
	if rows := matrix.Differing(all[:1]); len(rows) > 0 {
		t.Errorf("one report differs from itself: %v", rows)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := matrix.Write(dir, example()); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{matrix.MarkdownFile: "| v1.37.1 own |", matrix.HTMLFile: "<th scope=\"col\">v1.37.1 own</th>"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%v, %s is\n%s", err, name, data)
		}
	}
	for range 2 { // also without files
		if err := matrix.Remove(dir); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestColumns(t *testing.T) {
	one := report("v1.37.1", "stock", nil)
	mixed := report("v1.37.1", "stock", nil)
	mixed.Cluster.Stack["kubelet"] = "own on worker"
	other := report("v1.37.1", "stock", nil)
	other.Driver.Name = "gpu.example.com"
	for name, tc := range map[string]struct {
		reports []schema.ConformanceReport
		want    []string
	}{
		"same":    {[]schema.ConformanceReport{one, one}, []string{"v1.37.1", "v1.37.1 (2)"}},
		"mixed":   {[]schema.ConformanceReport{one, mixed}, []string{"v1.37.1 stock", "v1.37.1 kubelet=own on worker"}},
		"drivers": {[]schema.ConformanceReport{one, other}, []string{"v1.37.1 dra-sim", "v1.37.1 gpu.example.com"}},
	} {
		if d := cmp.Diff(tc.want, matrix.New(tc.reports).Columns); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestHTML(t *testing.T) {
	data, err := matrix.HTML(example())
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{`<th scope="col">v1.37.1 own</th>`, `<th scope="row">b/&lt;three&gt;</th>`, `<td class="failed">failed 2.0s (2 attempts)</td>`, `<td class="passed">passed (1 of 2)</td>`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "<script") || strings.Contains(text, "http") {
		t.Error("the page needs something else")
	}
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
