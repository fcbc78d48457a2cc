package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestProveRefusesBadInput(t *testing.T) {
	t.Setenv("DRATEST_STATE", t.TempDir())
	t.Setenv("ARTIFACTS", t.TempDir())
	for _, row := range []struct {
		says string
		args []string
	}{
		{"no trial \"x\"", []string{"prove", "mutants", "--only", "x"}},
		{"no trial \"x\"", []string{"prove", "soak", "--only", "x,leaked-claim"}},
		{"no trial \"x\"", []string{"prove", "upgrade", "--only", "x"}},
		{"no trial \"x\"", []string{"prove", "gates", "--only", "x"}},
		{"no trial \"x\"", []string{"prove", "skew", "--only", "x"}},
		{"not like 1/2", []string{"prove", "soak", "--shard", "2"}},
		{"has none of the 4 trials", []string{"prove", "skew", "--shard", "5/5"}},
		{"begin without --resume", []string{"prove", "mutants", "--resume"}},
		{"begin without --resume", []string{"prove", "upgrade", "--resume"}},
		{"needs a kubeconfig", []string{"prove", "soak", "--context", "c"}},
		{"unknown command", []string{"prove", "everything"}},
		{"x", []string{"prove", "mutants", "x"}},
		{"requires at least 1", []string{"prove", "merge"}},
		{"there is no", []string{"prove", "merge", t.TempDir()}},
		{"at least 1", []string{"run", "--repeat", "0"}},
	} {
		out, code := execute(t, row.args...)
		if code != codeUsage || !strings.Contains(out, row.says) {
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
		err := proveError(row.ctx, prove.Record{Verdict: row.verdict}, row.err)
		code := 0
		if err != nil {
			code = exitCode(err)
		}
		if code != row.want {
			t.Errorf("%s: exit code %d, want %d: %v", row.name, code, row.want, err)
		}
	}
}

func TestProofsSayWhere(t *testing.T) {
	var c provedCluster
	c.config.Version, c.config.Stack.Kubelet = "v1.36.4", clusters.Own
	if got := c.where(); !strings.HasPrefix(got, "Kubernetes v1.36.4 (") || !strings.Contains(got, "kubelet=own") {
		t.Errorf("got %q", got)
	}
	c.config.FeatureGates, c.config.RuntimeConfig = map[string]bool{"A": true}, map[string]string{"resource.k8s.io/v1beta1": "true"}
	if got := c.where(); !strings.HasSuffix(got, ") with A=true serving resource.k8s.io/v1beta1=true") {
		t.Errorf("got %q", got)
	}
	c.kubeconfig = "a/kubeconfig"
	if got := c.where(); got != "the cluster of a/kubeconfig" {
		t.Errorf("got %q", got)
	}
}
