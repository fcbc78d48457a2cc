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

package run_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/matrix"
	"github.com/dra-conformance/dratest/reports/schema"
)

// switchable makes the same cluster every time, and can switch it.
type switchable struct {
	maker

	to  []string
	err error
}

func (s *switchable) Create(ctx context.Context, c clusters.Config) (clusters.Cluster, error) {
	made, err := s.maker.Create(ctx, c)
	made.Provider, made.Stack = c.Provider, c.Stack
	return made, err
}

func (s *switchable) Switch(_ context.Context, name string, to clusters.Stack) ([]clusters.Switched, error) {
	s.to = append(s.to, name+" to "+to.String())
	return nil, s.err
}

func stacks(t *testing.T, texts ...string) []clusters.Stack {
	t.Helper()
	all, err := run.Stacks(texts)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func came(columns []run.Column) map[string]schema.Verdict {
	all := map[string]schema.Verdict{}
	for _, c := range columns {
		all[c.Name] = c.Report.Summary.Verdict
	}
	return all
}

func matrixIn(t *testing.T, provider clusters.Provider, name string, focus ...string) (run.Parts, run.Options, *bytes.Buffer) {
	t.Helper()
	noFilesLeft(t)
	p := parts()
	p.Clusters = provider
	o, out := options(t, "", focus...)
	o.Cluster = clusters.Config{Name: "c", Provider: name}
	return p, o, out
}

func TestMatrixSwitchesOneCluster(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	t.Setenv("FAKE_FAILED", filepath.Join(t.TempDir(), "failed"))
	s := &switchable{maker: maker{kubeconfig: kubeconfig}}
	p, o, out := matrixIn(t, s, "", "fake/(passes|flaky)")
	columns, err := run.Matrix(t.Context(), p, o, stacks(t, "stock", "own", "scheduler=own+kubelet=own:worker2"), 1)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	third := "scheduler=own+kubelet=own:worker2"
	if d := cmp.Diff(map[string]schema.Verdict{"stock": schema.Failed, "own": schema.Passed, third: schema.Passed}, came(columns)); d != "" {
		t.Error(d)
	}
	// Kubelets not named become stock before the named one becomes own.
	if d := cmp.Diff([]string{"c to own", "c to stock", "c to scheduler=own,kubelet=own:worker2"}, s.to); d != "" || s.made != 1 || s.deleted != 1 {
		t.Errorf("%d clusters were made, %d deleted: %s", s.made, s.deleted, d)
	}
	for folder, want := range map[string]string{"stock": "stock", "own": "own", "scheduler=own+kubelet=own@worker2": "own"} {
		data, err := os.ReadFile(filepath.Join(o.ReportDir, folder, reports.JSONFile))
		if err != nil {
			t.Fatal(err)
		}
		if r, err := schema.Decode(data); err != nil || r.Cluster.Stack["scheduler"] != want || r.Seed != 1 {
			t.Errorf("%s: %v, the stack is %v, the seed %d", folder, err, r.Cluster.Stack, r.Seed)
		}
	}
	table, err := os.ReadFile(filepath.Join(o.ReportDir, matrix.MarkdownFile))
	if err != nil || !strings.Contains(string(table), "| case | v1.37.1 stock | v1.37.1 own | v1.37.1 "+third+" |") {
		t.Errorf("%v, the matrix is\n%s", err, table)
	}
	for _, want := range []string{"fake/flaky ", "stock: failed; own: passed; " + third + ": passed\n", "\nown: 3 passed, 0 failed", "matrix: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out.String(), "differs fake/passes") {
		t.Errorf("what is the same is told, too:\n%s", out)
	}
	matrixHolds(t, o, 3)
	changed := strings.Replace(string(table), "| passed", "| failed", 1)
	if err := os.WriteFile(filepath.Join(o.ReportDir, matrix.MarkdownFile), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if reasons := matrix.Verify(os.DirFS(o.ReportDir), []string{"own", "stock", matrix.Folder(third), "left-out"}); len(reasons) != 2 ||
		!strings.Contains(reasons[0], "matrix.md is not what the reports make it") || !strings.Contains(reasons[1], "no column for the report in left-out") {
		t.Errorf("an edited matrix: %q", reasons)
	}
}

// matrixHolds fails the test if the matrix, or one of its reports, does not hold.
func matrixHolds(t *testing.T, o run.Options, n int) {
	t.Helper()
	dir := os.DirFS(o.ReportDir)
	folders, err := matrix.Reports(dir)
	if err != nil || len(folders) != n {
		t.Errorf("%v: reports in %q, want %d", err, folders, n)
	}
	for _, reason := range matrix.Verify(dir, folders) {
		t.Error(reason)
	}
	for _, folder := range folders {
		one := o
		one.ReportDir = filepath.Join(o.ReportDir, folder)
		holds(t, one)
	}
}

func TestMatrixOfControlPlanesMakesOneAfterTheOther(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	s := &switchable{maker: maker{kubeconfig: kubeconfig}}
	p, o, out := matrixIn(t, s, clusters.ProviderControlPlane, "fake/passes ")
	columns, err := run.Matrix(t.Context(), p, o, stacks(t, "stock", "scheduler=own"), 2)
	if err != nil || s.made != 2 || s.deleted != 2 || len(s.to) > 0 {
		t.Errorf("%v, %d clusters were made, %d deleted, switched: %v\n%s", err, s.made, s.deleted, s.to, out)
	}
	matrixHolds(t, o, 4)
	want := map[string]schema.Verdict{"stock, run 1": schema.Passed, "stock, run 2": schema.Passed, "scheduler=own, run 1": schema.Passed, "scheduler=own, run 2": schema.Passed}
	if d := cmp.Diff(want, came(columns)); d != "" {
		t.Error(d)
	}
	if columns[1].Report.Seed != columns[3].Report.Seed || columns[0].Report.Seed == columns[1].Report.Seed {
		t.Error("runs of one number have the same order on all stacks, those of one stack have not")
	}
	if _, err := os.Stat(filepath.Join(o.ReportDir, "scheduler=own", "run-2", reports.JSONFile)); err != nil || !strings.Contains(out.String(), "all cases came to the same in these 4 runs") {
		t.Errorf("%v\n%s", err, out)
	}
}

// All reports in the directory are of one matrix, for later comparisons.
func TestMatrixLeavesNothingOfEarlierOnes(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	p, o, out := matrixIn(t, &switchable{maker: maker{kubeconfig: kubeconfig}}, "", "fake/(passes|fails)")
	if _, err := run.Matrix(t.Context(), p, o, stacks(t, "stock", "scheduler=own+kubelet=own:worker2"), 1); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, folder := range []string{"own/run-2", "controllers=own", "notes", "scheduler"} {
		if err := os.MkdirAll(filepath.Join(o.ReportDir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(o.ReportDir, "controllers=own", "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Matrix(t.Context(), p, o, stacks(t, "own", "scheduler=own"), 1); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for folder, want := range map[string]bool{
		"own": true, "scheduler=own": true, "own/run-2": false, "stock": false, "scheduler=own+kubelet=own@worker2": false,
		"controllers=own/notes": true, "notes": true, "scheduler": true, // somebody else's
	} {
		if _, err := os.Stat(filepath.Join(o.ReportDir, folder)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %t", folder, err, want)
		}
	}
}

func TestMatrixOfRunsSaysHowOften(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	t.Setenv("FAKE_FAILED", filepath.Join(t.TempDir(), "failed"))
	p, o, out := matrixIn(t, &switchable{maker: maker{kubeconfig: kubeconfig}}, "", "fake/flaky")
	columns, err := run.Matrix(t.Context(), p, o, stacks(t, "own", "stock"), 3)
	if err != nil || len(columns) != 6 || !strings.Contains(out.String(), "own: 1 of 3 failed, 2 of 3 passed; stock: passed\n") {
		t.Errorf("%v, %d columns\n%s", err, len(columns), out)
	}
}

func TestMatrixKeepsWhatOneStackCameTo(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	broken := errors.New("no scheduler of this version")
	p, o, out := matrixIn(t, &switchable{maker: maker{kubeconfig: kubeconfig}, err: broken}, "", "fake/passes ")
	columns, err := run.Matrix(t.Context(), p, o, stacks(t, "stock", "own"), 2)
	if err != nil || len(columns) != 3 || !errors.Is(columns[2].Err, broken) || columns[0].Report.Summary.Verdict != schema.Passed {
		t.Errorf("%v, %+v", err, came(columns))
	}
	if !strings.Contains(out.String(), "\nown: switch the cluster to own: no scheduler of this version\n") {
		t.Errorf("the end is\n%s", out)
	}
	table, err := os.ReadFile(filepath.Join(o.ReportDir, matrix.HTMLFile))
	if err != nil || !strings.Contains(string(table), `<th scope="col">own</th>`) {
		t.Errorf("%v, the matrix is\n%s", err, table)
	}
}

func TestMatrixEndsWithItsContext(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := &switchable{maker: maker{kubeconfig: kubeconfig}}
	p, o, out := matrixIn(t, s, "", "fake/(passes|hangs)")
	o.Out = writer(func(text string) {
		if strings.Contains(text, "fake/passes-too") {
			cancel()
		}
		out.WriteString(text)
	})
	columns, err := run.Matrix(ctx, p, o, stacks(t, "stock", "own"), 1)
	if !errors.Is(err, context.Canceled) || len(columns) != 1 || columns[0].Report.Summary.Passed != 2 || columns[0].Report.Summary.Total != 3 || len(s.to) > 0 || s.deleted != 1 {
		t.Errorf("%v, %v, switched: %v, %d deleted", err, came(columns), s.to, s.deleted)
	}
	if _, err := os.Stat(filepath.Join(o.ReportDir, matrix.MarkdownFile)); err != nil || !strings.Contains(out.String(), "no two reports") {
		t.Errorf("%v\n%s", err, out)
	}
}

// writer is called with all output.
type writer func(text string)

func (w writer) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

func TestMatrixWithoutCluster(t *testing.T) {
	p, o, out := matrixIn(t, nil, "", "fake/passes ")
	columns, err := run.Matrix(t.Context(), p, o, stacks(t, "stock", "own"), 1)
	if err == nil || len(columns) > 0 || strings.Contains(out.String(), "stack own") {
		t.Errorf("%v, %v\n%s", err, came(columns), out)
	}
	p, o, _ = matrixIn(t, &switchable{}, "", "no such case")
	if _, err := run.Matrix(t.Context(), p, o, stacks(t, "stock", "own"), 1); !errors.Is(err, run.ErrNothingRan) {
		t.Error(err)
	}
}

func TestStacks(t *testing.T) {
	for text, want := range map[string]string{
		"stock,own": "", "stock,scheduler=own+kubelet=own:worker,own": "",
		"": "neither stock, own", "own": "at least two", "stock,scheduler=ours": "neither", "own,scheduler=own+controllers=own+kubelet=own": "are the same", "stock,stock": "stock and stock are the same",
	} {
		_, err := run.Stacks(strings.Split(text, ","))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
