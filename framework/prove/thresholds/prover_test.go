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

package thresholds

import (
	"go/parser"
	"go/token"
	"os"
	"testing"

	"github.com/dra-conformance/dratest/framework/perf"
)

func TestSlowerIsOfTheSourceThatIsThere(t *testing.T) {
	files, err := Slower(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, source, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestWorkloadIsOneOfTheDefaults(t *testing.T) {
	if w, err := measured(); err != nil || w.Name != cpu.Workload || w.Claims != perf.TemplateClaims {
		t.Errorf("got %+v, %v", w, err)
	}
}

func TestWhatARunShouldComeTo(t *testing.T) {
	record := func(ofCPU, ofRate perf.Judgement) perf.Record {
		return perf.Record{Findings: []perf.Finding{{Threshold: cpu, Judgement: ofCPU}, {Judgement: ofRate}}}
	}
	for _, tc := range []struct {
		id    string
		run   perf.Record
		right bool
	}{
		{"same-01", record(perf.Met, perf.Met), true},
		{"same-01", record(perf.Met, perf.Inconclusive), true},
		{"same-01", record(perf.Inconclusive, perf.Met), false},
		{"same-01", record(perf.Met, perf.Missed), false},
		{"slower-20", record(perf.Missed, perf.Met), true},
		{"slower-20", record(perf.Inconclusive, perf.Missed), false},
		{"beside-03", record(perf.Inconclusive, perf.Inconclusive), true},
		{"beside-03", record(perf.Missed, perf.Inconclusive), false},
	} {
		for _, trial := range Proof(20).Trials {
			if trial.ID != tc.id {
				continue
			}
			if got := kindOf(trial).judge(tc.run); got.Detected != tc.right {
				t.Errorf("%s with %v: %v, want %v", tc.id, tc.run.Findings, got.Detected, tc.right)
			}
		}
	}
}
