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

package reports_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// example returns a report with one case of each kind.
func example() schema.Report {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	meta := func(id, checks string) spec.Meta {
		return spec.Meta{ID: id, Checks: checks, Requires: []spec.RequirementID{"kep-4381/prepare-before-start"}}
	}
	plan := spec.Plan{
		Target: spec.Target{
			Server: "https://127.0.0.1:6443", Kubernetes: "v1.37.1", ResourceAPIs: []string{"v1", "v1beta2"},
			Gates: map[spec.Feature]bool{spec.DeviceTaints: true, spec.PrioritizedList: true, spec.ConsumableCapacity: false},
			Nodes: []spec.Node{
				{Name: "cp", Kubelet: "v1.37.1", Runtime: "containerd://2.3.7", OS: "linux", Arch: "amd64"},
				{Name: "worker", Kubelet: "v1.37.1", Runtime: "containerd://2.3.7", OS: "linux", Arch: "amd64", Schedulable: true},
			},
			Components: map[string]string{"kube-scheduler": "v1.37.1", "kube-controller-manager": "v1.37.1"},
			Stack:      map[string]string{"scheduler": "own"},
			Running: []spec.Component{
				{Name: spec.Kubelet, Program: "kubelet", Node: "cp", Whose: spec.Stock, Basis: spec.Claimed, Version: "v1.37.1", Why: "its digest was not seen"},
				{Name: spec.Kubelet, Program: "kubelet", Node: "worker", Whose: spec.Stock, Basis: spec.Proven, Version: "v1.37.1", Digest: "sha256:0123"},
				{Name: spec.Scheduler, Program: "kube-scheduler", Node: "cp", Whose: spec.Other, Version: "v1", Image: "example.org/kube-scheduler:v1", Why: "its image is another"},
			},
		},
		Entries: []spec.Entry{
			{Meta: meta("core/one-device", "A pod gets its device.")},
			{Meta: meta("core/shared", "Two pods | share a claim.")},
			{Meta: meta("core/hangs", "A hanging driver is asked again.")},
			{Meta: meta("core/late", "A late driver is found.")},
			{Meta: spec.Meta{ID: "node/metric", Checks: "It counts.", KnownIssue: &spec.KnownIssue{Issue: "kubernetes#1", Component: spec.Kubelet, Through: "1.37", Does: "It does not."}}},
			{Meta: spec.Meta{ID: "node/fixed", Checks: "It works.", KnownIssue: &spec.KnownIssue{Issue: "kubernetes#2", Component: spec.Kubelet, Through: "1.37", Does: "It does not."}}},
			{Meta: spec.Meta{ID: "node/event", Checks: "It says why.", Requires: []spec.RequirementID{"k/should"}}},
			{Meta: meta("core/expected", "A claim fails here.")},
			{Meta: meta("core/mended", "A claim failed here.")},
			{Meta: meta("core/two-nodes", "A claim stays on its node."), Skip: &spec.Skip{Code: spec.SkipNodes, Text: "needs 2 schedulable Linux node(s), the cluster has 1"}},
		},
	}
	outcomes := []spec.Outcome{
		{ID: "core/one-device", Status: spec.Passed, Started: start, Duration: 2100 * time.Millisecond},
		{ID: "core/shared", Status: spec.Failed, Started: start, Duration: 65 * time.Second,
			Failure:  "pod core-shared-x/two is not running after 60s\nlast seen: Pending <\"no devices\"> & `waiting`",
			LastStep: "wait for pod two to run", Location: "suites/core/shared.go:41", Evidence: "cases/core.shared"},
		{ID: "node/metric", Status: spec.Known, Started: start, Duration: 4 * time.Second, Reason: "kubernetes#1: it is 0", Basis: spec.Proven, Evidence: "cases/node.metric"},
		{ID: "node/fixed", Status: spec.Passed, Started: start, Duration: 3 * time.Second, ClosedHere: "kubelet v1.37.1", Basis: spec.Proven},
		{ID: "node/event", Status: spec.Failed, Started: start, Duration: 5 * time.Second, Failure: "no event", LastStep: "wait for an event"},
		{ID: "core/expected", Status: spec.Failed, Started: start, Duration: 6 * time.Second, Failure: "expected 2 devices\ngot 1", LastStep: "count",
			Location: "suites/core/expected.go:41", Evidence: "cases/core.expected"},
		{ID: "core/mended", Status: spec.Passed, Started: start, Duration: 3 * time.Second},
		{ID: "core/hangs", Status: spec.Blocked, Started: start, Duration: 300 * time.Millisecond, Reason: "driver does not start: no agent on node worker"},
	}
	return reports.Build(plan, outcomes, reports.Info{
		Suite: schema.Suite{Version: "v0.1.0", Commit: "abc123"}, Provider: "kind",
		Driver: schema.Driver{Name: "dra-sim", Image: "dra-conformance.github.io/dra-sim:1"}, Selection: schema.Selection{Parallel: 4, Expectations: []schema.Expectation{
			{Case: "core/expected", Reason: "one device | only", Issue: "https://example.com/1", Until: "2027-03-31"},
			{Case: "core/mended", Reason: "was broken", Issue: "https://example.com/2", Until: "2027-03-31"},
		}},
		Seed: 7, Started: start, Ended: start.Add(70 * time.Second), EndedEarly: "the run was interrupted", Problems: []string{"ginkgo ended with exit status 1"},
		Monitoring: &spec.Monitoring{Requests: 30, CPUSeconds: 12.3, Unwatched: []string{"lease of kube-scheduler: forbidden"}},
		Findings: []spec.Finding{
			{Time: start.Add(2 * time.Second), Rule: "double-allocated", Severity: spec.Violation, Text: "device d/p/x is allocated | twice", Objects: []string{"resourceclaims/a/b"}, Cases: []string{"core/one-device", "core/shared"}},
			{Time: start.Add(9 * time.Second), Rule: spec.LeaseLost, Severity: spec.Warning, Text: "the lease of kube-scheduler went from \"a\" to \"b\""},
		},
		Requirements: append([]spec.Requirement{{ID: "kep-4381/prepare-before-start", Level: spec.Must, Section: "KEP-4381, Kubelet", Text: "Devices are prepared first."}}, levels...),
	})
}

func TestGoldenFiles(t *testing.T) {
	dir := t.TempDir()
	if err := reports.Write(dir, example()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{reports.JUnitFile, reports.MarkdownFile} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", name)
		if *rewrite {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s (run with -rewrite if this is meant):\n%s", name, d)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
