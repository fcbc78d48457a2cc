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
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

// maker makes the same cluster every time.
type maker struct {
	clusters.Provider
	cluster       clusters.Cluster
	kubeconfig    string
	made, deleted int
}

func (*maker) Name() string { return "maker" }

func (m *maker) Create(_ context.Context, c clusters.Config) (clusters.Cluster, error) {
	m.made++
	made := m.cluster
	made.Name, made.Kubeconfig = c.Name, m.kubeconfig
	return made, nil
}

func (m *maker) Delete(context.Context, string) error { m.deleted++; return nil }

func TestRepeatRunsOnOneCluster(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	m := &maker{kubeconfig: kubeconfig}
	p := parts()
	p.Clusters = m
	o, out := options(t, "", "fake/passes ")
	o.Cluster = clusters.Config{Name: "c", Stack: clusters.Stack{Scheduler: spec.Own}}
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

// Reopening a cluster by its kubeconfig adds no evidence of the components' provenance.
func TestRepeatKnowsOfComponentsWhatOneRunDoes(t *testing.T) {
	noFilesLeft(t)
	kubeconfig, _ := apiServer(t)
	p := parts()
	p.Clusters = &maker{kubeconfig: kubeconfig, cluster: clusters.Cluster{
		Provider: clusters.ProviderControlPlane, Version: "v1.37.1", Stack: clusters.Stack{Scheduler: spec.Stock, Controllers: spec.Own},
	}}
	o, out := options(t, "", "fake/passes ")
	o.Cluster = clusters.Config{Name: "c"}
	once, err := run.Run(t.Context(), p, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repeated, _, err := run.Repeat(t.Context(), p, o, 2)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(once.Cluster.Running, repeated.Cluster.Running); diff != "" {
		t.Errorf("once -, repeated +:\n%s", diff)
	}
	stock := func(c spec.Component) bool { return c.Name == spec.Scheduler && c.Basis == spec.Claimed && c.Why != "" }
	if !slices.ContainsFunc(repeated.Cluster.Running, stock) || len(repeated.Selection.AssumeStock) > 0 {
		t.Errorf("the scheduler is not claimed with a reason: %+v, assumed %v", repeated.Cluster.Running, repeated.Selection.AssumeStock)
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
