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

package diff_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/diff"
	"github.com/dra-conformance/dratest/reports/schema"
)

func report(results map[string]schema.CaseResult) schema.ConformanceReport {
	var r schema.ConformanceReport
	for id, result := range results {
		r.Cases = append(r.Cases, schema.ConformanceCase{RequiredCase: schema.RequiredCase{ID: id}, Result: result})
	}
	slices.SortFunc(r.Cases, func(a, b schema.ConformanceCase) int { return strings.Compare(a.ID, b.ID) })
	return r
}

func TestWorse(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b  schema.CaseResult
		worse bool
	}{
		"fails":             {schema.CasePassed, schema.CaseFailed, true},
		"shows an issue":    {schema.CasePassed, schema.CaseKnownIssue, true},
		"issue is closed":   {schema.CaseKnownIssue, schema.CasePassed, false},
		"issue fails now":   {schema.CaseKnownIssue, schema.CaseFailed, true},
		"warns":             {schema.CasePassed, schema.CaseWarning, true},
		"fails, expected":   {schema.CasePassed, schema.CaseExpectedFailure, true},
		"is expected now":   {schema.CaseFailed, schema.CaseExpectedFailure, false},
		"is left out":       {schema.CasePassed, schema.CaseNotSelected, true},
		"has gone":          {schema.CasePassed, "", true},
		"came, and passes":  {"", schema.CasePassed, false},
		"came, and fails":   {"", schema.CaseFailed, true},
		"is mended":         {schema.CaseFailed, schema.CasePassed, false},
		"not run otherwise": {schema.CaseNotSelected, schema.CaseNotApplicable, false},
	} {
		t.Run(name, func(t *testing.T) {
			only := func(r schema.CaseResult) map[string]schema.CaseResult {
				if r == "" {
					return nil
				}
				return map[string]schema.CaseResult{"a/a": r}
			}
			d, err := diff.Compare(report(only(tc.a)), report(only(tc.b)))
			want := []diff.Change{{Case: "a/a", A: tc.a, B: tc.b, Worse: tc.worse}}
			if x := cmp.Diff(want, d.Changed); err != nil || x != "" || d.Worse != tc.worse {
				t.Errorf("%v, worse %t\n%s", err, d.Worse, x)
			}
		})
	}
}

func TestSlower(t *testing.T) {
	took := func(status spec.Status, seconds ...float64) schema.ConformanceReport {
		r := report(map[string]schema.CaseResult{"a/a": schema.CasePassed})
		for _, s := range seconds {
			r.Cases[0].Attempts = append(r.Cases[0].Attempts, schema.Attempt{Status: status, DurationSeconds: s})
		}
		return r
	}
	for name, tc := range map[string]struct {
		a, b schema.ConformanceReport
		want []diff.Slower
	}{
		"much":                    {took(spec.Passed, 5), took(spec.Passed, 30), []diff.Slower{{Case: "a/a", A: 5, B: 30}}},
		"a little":                {took(spec.Passed, 20), took(spec.Passed, 35), nil},
		"short in any case":       {took(spec.Passed, 0.1), took(spec.Passed, 5), nil},
		"one of several attempts": {took(spec.Passed, 5), took(spec.Passed, 30, 6), nil},
		"it was slow once":        {took(spec.Passed, 5, 30), took(spec.Passed, 31), nil},
		"faster":                  {took(spec.Passed, 30), took(spec.Passed, 5), nil},
		"failed attempts":         {took(spec.Failed, 1), took(spec.Failed, 120), nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := diff.Compare(tc.a, tc.b)
			if x := cmp.Diff(tc.want, d.Slower); err != nil || x != "" || d.Worse != (len(tc.want) > 0) {
				t.Errorf("%v, %+v\n%s", err, d, x)
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	cluster := func(name, version string) schema.ConformanceReport {
		r := report(nil)
		r.Cluster = schema.Cluster{
			Server: "https://" + name, Kubernetes: version, Gates: map[spec.Feature]bool{spec.DeviceTaints: version == "v1.37.1"},
			Stack: map[string]string{"kubelet": "stock"}, Nodes: []spec.Node{{Name: name + "-worker", Kubelet: version}},
			Running: []spec.Component{{Name: "kubelet", Node: name + "-worker", Version: version}},
		}
		return r
	}
	same, err := diff.Compare(cluster("a", "v1.37.1"), cluster("b", "v1.37.1"))
	if err != nil || same.Configuration != nil || same.Worse {
		t.Errorf("names make a difference: %v, %+v", err, same)
	}
	d, err := diff.Compare(cluster("a", "v1.36.4"), cluster("a", "v1.37.1"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range d.Configuration {
		paths = append(paths, f.Path)
	}
	want := []string{"cluster.gates.DRADeviceTaints", "cluster.kubernetes", "cluster.nodes[node 1].kubelet", "cluster.running[kubelet on node 1].version"}
	if x := cmp.Diff(want, paths); x != "" {
		t.Error(x)
	}
}

func read(t *testing.T, file string) schema.ConformanceReport {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := schema.DecodeConformance(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two real runs on one cluster, the second one with --strict.
func TestRealRuns(t *testing.T) {
	a, b := read(t, "../testdata/stock/conformance-report.yaml"), read(t, "../testdata/run/conformance-report.yaml")
	d, err := diff.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	text := diff.Text(d)
	for _, want := range []string{
		"worse  core/ended-pod: knownIssue -> failed: the claim is reserved again for a pod that has ended", "config selection.strict: (none) -> true", "\nworse\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, "\n") != 3 {
		t.Errorf("more than that differs:\n%s", text)
	}
}

func TestOtherSuite(t *testing.T) {
	a, b := report(nil), report(nil)
	a.Suite.RequiredCases, b.Suite.RequiredCases, b.Suite.Version = "sha256:1", "sha256:2", "v9"
	d, err := diff.Compare(a, b)
	if err != nil || len(d.Notes) != 1 || !strings.Contains(diff.Text(d), "the suites require different cases: 0 in , 0 in v9") || d.Worse {
		t.Errorf("%v, %+v", err, d)
	}
}
