package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/suites/run"
)

// maker makes clusters that are all the same one.
type maker struct {
	clusters.Provider
	kubeconfig    string
	made, deleted int
}

func (*maker) Name() string { return "maker" }

func (m *maker) Create(_ context.Context, c clusters.Config) (clusters.Cluster, error) {
	m.made++
	return clusters.Cluster{Name: c.Name, Kubeconfig: m.kubeconfig}, nil
}

func (m *maker) Delete(context.Context, string) error { m.deleted++; return nil }

func TestRepeatRunsOnOneCluster(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	m := &maker{kubeconfig: kubeconfig}
	p := parts()
	p.Clusters = m
	o, out := options(t, "", "fake/passes ")
	o.Cluster = clusters.Config{Name: "c", Stack: clusters.Stack{Scheduler: clusters.Own}}
	report, number, err := run.Repeat(t.Context(), p, o, 2)
	if err != nil || number != 2 || report.Summary.Verdict != schema.Passed {
		t.Errorf("got %s in run %d, %v\n%s", report.Summary.Verdict, number, err, out)
	}
	if m.made != 1 || m.deleted != 1 {
		t.Errorf("%d clusters were made, %d deleted", m.made, m.deleted)
	}
	seeds := map[int64]bool{}
	for _, dir := range []string{"run-1", "run-2"} {
		data, err := os.ReadFile(filepath.Join(o.ReportDir, dir, reports.JSONFile))
		if err != nil {
			t.Fatal(err)
		}
		r, err := schema.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		seeds[r.Seed] = true
	}
	if len(seeds) != 2 {
		t.Errorf("the runs have the same order: %v", seeds)
	}
}

func TestRepeatStopsAfterTheRunThatDoesNotPass(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	o, out := options(t, kubeconfig, "fake/fails")
	earlier := filepath.Join(o.ReportDir, "run-2")
	if err := os.MkdirAll(earlier, 0o755); err != nil {
		t.Fatal(err)
	}
	report, number, err := run.Repeat(t.Context(), parts(), o, 3)
	if err != nil || number != 1 || report.Summary.Verdict != schema.Failed {
		t.Errorf("got %s in run %d, %v\n%s", report.Summary.Verdict, number, err, out)
	}
	if strings.Contains(out.String(), "== run 2") {
		t.Errorf("it went on:\n%s", out)
	}
	if _, err := os.Stat(earlier); err == nil {
		t.Error("the report of an earlier repetition is still there")
	}
}

func TestRepeatWithoutCases(t *testing.T) {
	m := &maker{}
	p := parts()
	p.Clusters = m
	o, _ := options(t, "", "no such case")
	if _, _, err := run.Repeat(t.Context(), p, o, 3); !errors.Is(err, run.ErrNothingRan) || m.made > 0 {
		t.Errorf("got %v, %d clusters were made", err, m.made)
	}
}
