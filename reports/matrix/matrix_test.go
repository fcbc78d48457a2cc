package matrix_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

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
	r.Profiles = []schema.Profile{{Name: "core", Result: schema.ResultPassed, Counts: schema.Counts{Passed: 1, KnownIssues: 1}}}
	return r
}

func example() matrix.Table {
	return matrix.New([]schema.ConformanceReport{
		report("v1.36.4", "stock", map[string]schema.CaseResult{"a/one": schema.CasePassed}),
		report("v1.37.1", "stock", map[string]schema.CaseResult{"a/one": schema.CasePassed, "a/two": schema.CaseKnownIssue}),
		report("v1.37.1", "own", map[string]schema.CaseResult{"a/two": schema.CasePassed, "b/<three>": schema.CaseFailed}),
	})
}

func TestMarkdown(t *testing.T) {
	want := `# DRA conformance

| profile | v1.36.4 stock | v1.37.1 stock | v1.37.1 own |
|---|---|---|---|
| ` + "`core`" + ` | passed (1 of 2) | passed (1 of 2) | passed (1 of 2) |

| case | v1.36.4 stock | v1.37.1 stock | v1.37.1 own |
|---|---|---|---|
| ` + "`a/one`" + ` | passed | passed | - |
| ` + "`a/two`" + ` | - | knownIssue | passed |
| ` + "`b/<three>`" + ` | - | - | failed |
`
	if d := cmp.Diff(want, string(matrix.Markdown(example()))); d != "" {
		t.Error(d)
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
	for _, want := range []string{`<th scope="col">v1.37.1 own</th>`, `<th scope="row">b/&lt;three&gt;</th>`, `<td class="failed">failed</td>`, `<td class="passed">passed (1 of 2)</td>`} {
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
