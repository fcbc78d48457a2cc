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
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/providers"
	"github.com/dra-conformance/dratest/framework/perf"
)

func TestPerfScenariosAreKnown(t *testing.T) {
	workloads, err := perf.DefaultWorkloads(true)
	if err != nil {
		t.Fatal(err)
	}
	known := scenarios(providers.NewClusters(progress.New(io.Discard)))
	for _, w := range workloads {
		if _, ok := known[w.Scenario]; w.Scenario != "" && !ok {
			t.Errorf("workload %s: there is no scenario %q", w.Name, w.Scenario)
		}
	}
}

func TestPerfRefusesBadInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "workloads.yaml")
	text := "apiVersion: dra-conformance.github.io/v1alpha1\nkind: PerformanceWorkloads\nworkloads: [{name: a, scenario: mine, nodes: 1, pods: 1}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"perf run --blocks=0":                    "blocks:",
		"perf run --only=nothing":                "there are no-claims, template-claims",
		"perf run --full --workloads=" + file:    "full:",
		"perf run --workloads=" + file:           `workload a: there is no scenario "mine"`,
		"perf run --candidate=etcd=own":          "known are",
		"perf run --control --candidate-program": "candidate-program",
	} {
		root := newRootCommand()
		root.SetArgs(strings.Fields(args))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		if err := root.ExecuteContext(t.Context()); err == nil || exitCode(err) != codeUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, exit code %d", args, err, exitCode(err))
		}
	}
}
