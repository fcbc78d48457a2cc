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
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// recordOf returns a record with a block per ratio, judged by thresholds.
func recordOf(m Metric, ratios []float64, thresholds ...Threshold) Record {
	r := Record{SchemaVersion: RecordVersion, Kubernetes: "v1.37.1", Reference: "stock", Candidate: "own", Rounds: rounds(m, 0, ratios...)}
	r.finish(thresholds, nil)
	return r
}

func around(random *rand.Rand, middle float64) []float64 {
	var out []float64
	for range 10 {
		out = append(out, middle*(1+0.03*random.NormFloat64()))
	}
	return out
}

func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	atMost := Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1.1}
	atLeast := Threshold{Workload: "w", Metric: PodsPerSecond, AtLeast: 0.9}
	for name, test := range map[string]struct {
		threshold  Threshold
		old, fresh float64
		want       Direction
	}{
		"the same":           {atMost, 1, 1, Same},
		"more CPU":           {atMost, 1, 1.2, Worse},
		"less CPU":           {atMost, 1, 0.8, Better},
		"too little to tell": {atMost, 1, 1.03, Same},
		"more pods":          {atLeast, 1, 1.2, Better},
		"fewer pods":         {atLeast, 1, 0.8, Worse},
	} {
		got := Compare(recordOf(test.threshold.Metric, around(random, test.old), test.threshold), recordOf(test.threshold.Metric, around(random, test.fresh), test.threshold))
		if len(got.Changes) != 1 || got.Changes[0].Direction != test.want {
			t.Errorf("%s: %+v, want %s", name, got.Changes, test.want)
		}
	}
}

// Thresholds not compared and differing conditions are reported.
func TestCompareSaysWhatItLeavesOut(t *testing.T) {
	threshold := Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1.1}
	old, fresh := recordOf(SchedulerCPU, []float64{1, 1}, threshold), recordOf(SchedulerCPU, []float64{1, 1, 1, 1, 1, 1}, threshold)
	old.Kubernetes = "v1.36.4"
	var out strings.Builder
	Compare(old, fresh).Print(&out)
	for _, want := range []string{"differs: kubernetes: v1.36.4, v1.37.1", "2 and 6 blocks are too few, 6 are needed", "perf compare: better=0 worse=0 same=0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

// With few blocks and many thresholds, even the largest difference is insignificant. This must not be
// reported as "no change".
func TestCompareSaysThatItCannotFindAnything(t *testing.T) {
	var thresholds []Threshold
	for i := range 30 {
		thresholds = append(thresholds, Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1 + float64(i)})
	}
	c := Compare(recordOf(SchedulerCPU, []float64{1, 1, 1, 1, 1, 1}, thresholds...), recordOf(SchedulerCPU, []float64{9, 9, 9, 9, 9, 9}, thresholds...))
	if len(c.Changes) != 0 || len(c.Left) != len(thresholds) || !strings.Contains(c.Left[0], "take more --blocks") {
		t.Errorf("%d changes, left out: %v", len(c.Changes), c.Left)
	}
}

func TestValuesOfOtherMachinesAreNotCompared(t *testing.T) {
	threshold := Threshold{Workload: "w", Kind: Absolute, Metric: SchedulerCPU, AtMost: 100}
	old, fresh := recordOf(SchedulerCPU, []float64{1, 1, 1, 1, 1, 1, 1}, threshold), recordOf(SchedulerCPU, []float64{2, 2, 2, 2, 2, 2, 2}, threshold)
	if c := Compare(old, fresh); len(c.Worse()) != 1 {
		t.Errorf("on one machine: %+v", c)
	}
	fresh.Processors = 64
	if c := Compare(old, fresh); len(c.Changes) != 0 || len(c.Left) != 1 {
		t.Errorf("on two machines: %+v", c)
	}
}

// Many comparisons of identical records must not find changes.
func TestComparisonsAreRarelyWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	threshold := Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1.1}
	wrong := 0
	for range 1000 {
		wrong += len(Compare(recordOf(SchedulerCPU, around(random, 1), threshold), recordOf(SchedulerCPU, around(random, 1), threshold)).Worse())
	}
	if wrong > 5 {
		t.Errorf("%d of 1000 comparisons of the same found something worse", wrong)
	}
}

func TestReadRecords(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadRecords(dir); err == nil || !strings.Contains(err.Error(), "there is no perf.json below") {
		t.Errorf("an empty directory: %v", err)
	}
	for name, started := range map[string]time.Time{"b": time.Unix(1, 0), "a": time.Unix(2, 0)} {
		r := Record{SchemaVersion: RecordVersion, Candidate: name, Started: started}
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := r.write(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	records, err := ReadRecords(dir)
	if err != nil || len(records) != 2 || records[0].Candidate != "b" {
		t.Errorf("got %d records, %v; want the older one first", len(records), err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", RecordFile), []byte(`{"schemaVersion": "2"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecords(dir); err == nil || !strings.Contains(err.Error(), `schemaVersion "2" is not known`) {
		t.Errorf("another schema: %v", err)
	}
}

// A run of a few workloads hid the results of earlier, complete runs from the history.
func TestHistoryKeepsWhatTheNewestRunLeftOut(t *testing.T) {
	before := Threshold{Workload: "w", Metric: SchedulerCPU, AtMost: 1.1}
	now := Threshold{Workload: "w", Kind: Ratio, Metric: SchedulerCPU, AtMost: 1}
	fromBelow := Threshold{Workload: "w", Metric: SchedulerCPU, AtLeast: 0.5}
	growth := Threshold{Workload: "w", Kind: Growth, Metric: SchedulerCPU, AtMost: 0.5}
	ratios := []float64{1, 1, 1, 1, 1, 1}
	records := []Record{recordOf(SchedulerCPU, ratios, before, fromBelow, growth), recordOf(SchedulerCPU, ratios, now), recordOf(SchedulerCPU, ratios)}
	if got, want := Judged(records), []Threshold{now, fromBelow, growth}; !slices.Equal(got, want) {
		t.Errorf("judged %v, want %v", got, want)
	}
	var out strings.Builder
	PrintHistory(&out, records, func(Record) string { return "c" })
	for want, times := range map[string]int{"w: scheduler-cpu-sec/pod at most ": 2, "w: exponent of scheduler-cpu-sec/pod at most 0.5": 1} {
		if n := strings.Count(out.String(), want); n != times {
			t.Errorf("%d lines with %q, want %d, in:\n%s", n, want, times, out.String())
		}
	}
}
