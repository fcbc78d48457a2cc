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

package perf

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/framework/fuzztest"
)

// FuzzDecodeThresholds checks that accepted thresholds are valid and judge rounds.
func FuzzDecodeThresholds(f *testing.F) {
	f.Add(defaultThresholds[:min(len(defaultThresholds), 3000)])
	f.Add([]byte("apiVersion: " + FileVersion + "\nkind: PerformanceThresholds\nthresholds: [{workload: w, metric: " + string(Metrics()[0]) + ", atMost: 1.5}]\n"))
	rounds := []Round{{Workload: "w", Side: "reference"}, {Workload: "w", Side: "candidate", Values: map[Metric]float64{Metrics()[0]: 1}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := DecodeThresholds(data)
		if err != nil {
			return
		}
		for _, threshold := range all {
			if err := threshold.validate(); err != nil {
				t.Error(err)
			}
			_ = Judge(threshold, rounds)
		}
	})
}

// FuzzDecodeWorkloads checks that accepted workloads are valid and have different names.
func FuzzDecodeWorkloads(f *testing.F) {
	f.Add([]byte("apiVersion: " + FileVersion + "\nkind: PerformanceWorkloads\nworkloads: [{name: w, nodes: 2, pods: 3}, {name: v, scenario: node}]\n"))
	f.Add([]byte("apiVersion: " + FileVersion + "\nkind: PerformanceWorkloads\nworkloads: [{name: w, pods: 3, grows: {by: nodes, sizes: [1, 0x7fffffffffffffff]}}, null]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := DecodeWorkloads(data)
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, w := range all {
			names[w.Name] = true
			if err := w.Validate(); err != nil {
				t.Error(err)
			}
		}
		if len(names) != len(all) {
			t.Errorf("%d names of %d workloads", len(names), len(all))
		}
	})
}

// FuzzReadRecord checks that results of others can be compared, judged and written for benchstat.
func FuzzReadRecord(f *testing.F) {
	metric := string(Metrics()[0])
	f.Add([]byte(`{"schemaVersion":"` + RecordVersion + `","workloads":[{"name":"w"}],"rounds":[{"workload":"w","side":"candidate","block":1,"values":{"` + metric + `":2}}],"findings":[{"workload":"w","metric":"` + metric + `","atMost":2}]}`))
	f.Add([]byte(`{"schemaVersion":"` + RecordVersion + `","rounds":[null,{"block":-1,"size":-1,"values":{"":1e308}}],"findings":[null,{"kind":"growth"}]}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, RecordFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRecord(dir)
		if err != nil {
			return
		}
		fuzztest.RoundTrip(t, r, fuzztest.JSON, func(data []byte) (r Record, err error) { return r, json.Unmarshal(data, &r) })
		c := Compare(r, r)
		c.Print(io.Discard)
		if worse := c.Worse(); len(worse) > 0 {
			t.Errorf("results are worse than themselves: %+v", worse)
		}
		for _, finding := range r.Findings {
			_ = Judge(finding.Threshold, r.Rounds)
		}
	})
}
