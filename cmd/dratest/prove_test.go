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

package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestProveRefusesBadInput(t *testing.T) {
	t.Setenv("DRATEST_STATE", t.TempDir())
	t.Setenv("ARTIFACTS", t.TempDir())
	for _, row := range []struct {
		message string
		args    []string
	}{
		{"no trial \"x\"", []string{"prove", "mutants", "--only", "x"}},
		{"no trial \"x\"", []string{"prove", "soak", "--only", "x,leaked-claim"}},
		{"no trial \"x\"", []string{"prove", "upgrade", "--only", "x"}},
		{"no trial \"x\"", []string{"upgrade", "gates", "--only", "x"}},
		{"no trial \"x\"", []string{"upgrade", "skew", "--only", "x"}},
		{"not like 1/2", []string{"prove", "soak", "--shard", "2"}},
		{"has none of the 4 trials", []string{"upgrade", "skew", "--shard", "5/5"}},
		{"begin without --resume", []string{"prove", "mutants", "--resume"}},
		{"begin without --resume", []string{"prove", "upgrade", "--resume"}},
		{"needs a kubeconfig", []string{"prove", "soak", "--context", "c"}},
		{"unknown command", []string{"prove", "everything"}},
		{"is now \"dratest upgrade gates\"", []string{"prove", "gates", "--from", "1.36"}},
		{"x", []string{"prove", "mutants", "x"}},
		{"requires at least 1", []string{"prove", "merge"}},
		{"there is no", []string{"prove", "merge", t.TempDir()}},
		{"at least 1", []string{"run", "--repeat", "0"}},
	} {
		out, code := execute(t, row.args...)
		if code != codeUsage || !strings.Contains(out, row.message) {
			t.Errorf("%v: exit code %d, %s", row.args, code, out)
		}
	}
}

func TestProveExitCodes(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("broken")
	for _, row := range []struct {
		name    string
		ctx     context.Context
		verdict schema.Verdict
		err     error
		want    int
	}{
		{"all shown", t.Context(), schema.Passed, nil, 0},
		{"not shown", t.Context(), schema.Failed, nil, codeCasesFailed},
		{"not shown, then trouble", t.Context(), schema.Failed, broken, codeCasesFailed},
		{"not shown, then interrupted", ended, schema.Failed, broken, codeCasesFailed},
		{"interrupted", ended, schema.Incomplete, broken, codeIncomplete},
		{"no verdict", t.Context(), schema.Incomplete, nil, codeIncomplete},
		{"trouble", t.Context(), schema.Incomplete, broken, codeEnvironment},
		{"could not be removed", t.Context(), schema.Passed, broken, codeEnvironment},
		{"another proof", t.Context(), schema.Failed, prove.ErrAnother, codeUsage},
		{"in use", t.Context(), "", reports.ErrInUse, codeUsage},
	} {
		err := proveError(row.ctx, false, prove.Record{Verdict: row.verdict}, row.err)
		code := 0
		if err != nil {
			code = exitCode(err)
		}
		if code != row.want {
			t.Errorf("%s: exit code %d, want %d: %v", row.name, code, row.want, err)
		}
	}
}

func TestMutantsThatNeedAnotherClusterAreNoFailureOfWhatHasChanged(t *testing.T) {
	killed := prove.Result{ID: "a", Finding: prove.Finding{Detected: true}}
	survives := prove.Result{ID: "b", Finding: prove.Finding{Missed: []string{"claims/one"}}}
	elsewhere := prove.Result{ID: "c", Finding: prove.Finding{Missed: []string{"claims/one"}, Unable: []string{"node/two"}}}
	for name, row := range map[string]struct {
		verdict schema.Verdict
		results []prove.Result
		code    int
	}{
		"all are killed":                {schema.Passed, []prove.Result{killed}, 0},
		"one survives":                  {schema.Failed, []prove.Result{killed, survives}, codeCasesFailed},
		"one needs another cluster":     {schema.Failed, []prove.Result{killed, elsewhere}, codeIncomplete},
		"one survives, one needs more":  {schema.Failed, []prove.Result{elsewhere, survives}, codeCasesFailed},
		"one is noticed, another would": {schema.Incomplete, []prove.Result{killed}, codeIncomplete},
	} {
		err := proveError(t.Context(), true, prove.Record{Verdict: row.verdict, Results: row.results}, nil)
		if code := exitCode(err); (err == nil) != (row.code == 0) || err != nil && code != row.code {
			t.Errorf("%s: code %d: %v", name, code, err)
		}
	}
}

func TestProofsSayWhere(t *testing.T) {
	var c proveFlags
	c.Cluster.Version, c.Cluster.Stack.Kubelet = "v1.36.4", spec.Own
	if got := c.where(); !strings.HasPrefix(got, "Kubernetes v1.36.4 (") || !strings.Contains(got, "kubelet=own") {
		t.Errorf("got %q", got)
	}
	c.Cluster.FeatureGates, c.Cluster.RuntimeConfig = map[string]bool{"A": true}, map[string]string{"resource.k8s.io/v1beta1": "true"}
	if got := c.where(); !strings.HasSuffix(got, ") with A=true serving resource.k8s.io/v1beta1=true") {
		t.Errorf("got %q", got)
	}
	c.Kubeconfig = "a/kubeconfig"
	if got := c.where(); got != "the cluster of a/kubeconfig" {
		t.Errorf("got %q", got)
	}
}
