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

package schedulerperf

import (
	"math"
	"strings"
	"testing"
)

func measured(side string, repetition int, rate, filter float64) Measurement {
	return Measurement{Workload: "A/w", Side: side, Repetition: repetition, PodsPerSecond: rate, Filter: filter}
}

func failed(side string, repetition int) Measurement {
	return Measurement{Workload: "A/w", Side: side, Repetition: repetition, Error: "no etcd"}
}

// short is a run with too little to measure.
func short(side string, repetition int) Measurement {
	m := failed(side, repetition)
	m.Short = true
	return m
}

func TestCompare(t *testing.T) {
	for name, test := range map[string]struct {
		runs                   []Measurement
		ratio, lowest, highest float64
		filter                 float64
		failed                 int
		excused                bool
	}{
		"one pair":             {runs: []Measurement{measured("stock", 1, 50, 8), measured("own", 1, 75, 2)}, ratio: 1.5, lowest: 1.5, highest: 1.5, filter: 0.25},
		"order within a pair":  {runs: []Measurement{measured("own", 1, 75, 2), measured("stock", 1, 50, 8)}, ratio: 1.5, lowest: 1.5, highest: 1.5, filter: 0.25},
		"a slow pair":          {runs: []Measurement{measured("stock", 1, 50, 8), measured("own", 1, 100, 2), measured("stock", 2, 10, 16), measured("own", 2, 20, 8), measured("stock", 3, 50, 8), measured("own", 3, 50, 2)}, ratio: 2, lowest: 1, highest: 2, filter: 0.25},
		"half a pair failed":   {runs: []Measurement{measured("stock", 1, 50, 8), failed("own", 1), measured("stock", 2, 50, 8), measured("own", 2, 100, 4)}, ratio: 2, lowest: 2, highest: 2, filter: 0.5, failed: 1},
		"all failed":           {runs: []Measurement{failed("stock", 1), failed("own", 1)}, failed: 2, excused: true},
		"own alone failed":     {runs: []Measurement{measured("stock", 1, 50, 8), failed("own", 1)}, failed: 1},
		"each failed once":     {runs: []Measurement{failed("stock", 1), measured("own", 1, 50, 8), measured("stock", 2, 50, 8), failed("own", 2)}, failed: 2},
		"stock was too fast":   {runs: []Measurement{short("stock", 1), failed("own", 1)}, failed: 2},
		"own was too fast":     {runs: []Measurement{measured("stock", 1, 50, 8), short("own", 1)}, failed: 1, excused: true},
		"control instead":      {runs: []Measurement{measured("stock", 1, 50, 8), measured("control", 1, 50, 8)}, ratio: 1, lowest: 1, highest: 1, filter: 1},
		"interrupted in pairs": {runs: []Measurement{measured("stock", 1, 50, 8)}},
	} {
		t.Run(name, func(t *testing.T) {
			all := Compare(test.runs)
			if len(all) != 1 {
				t.Fatalf("%d comparisons, want 1", len(all))
			}
			c := all[0]
			for what, pair := range map[string][2]float64{
				"ratio": {c.Ratio, test.ratio}, "lowest": {c.Lowest, test.lowest}, "highest": {c.Highest, test.highest}, "filter": {c.Filter, test.filter},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("%s %v, want %v", what, pair[0], pair[1])
				}
			}
			if c.Failed != test.failed || c.Excused != test.excused {
				t.Errorf("%d failed, excused %t, want %d and %t", c.Failed, c.Excused, test.failed, test.excused)
			}
		})
	}
}

func TestTypicalTakesMedians(t *testing.T) {
	got := typical([]Measurement{measured("own", 1, 90, 1), measured("own", 2, 30, 9), measured("own", 3, 60, 2)})
	if got.PodsPerSecond != 60 || got.Filter != 2 || got.Repetition != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestReportText(t *testing.T) {
	failing, broken := failed("own", 1), failed("stock", 1)
	other, stock, own := measured("stock", 1, 50, 8), measured("stock", 1, 50, 8), measured("own", 1, 66, 2)
	failing.Workload, other.Workload, broken.Workload = "B/w", "B/w", "C/w"
	stock.PluginCPU, own.PluginCPU = 4, 1
	report := NewReport("v1.37.1", 1, []Measurement{stock, own, other, failing, broken}, []LeftOut{{"D/w", "gate G is not supported"}})
	if got, want := report.LastLine(), "scheduler: A/w=1.32 B/w=failed C/w=none geometric-mean=1.32"; got != want {
		t.Errorf("last line %q, want %q", got, want)
	}
	if !report.Failed() {
		t.Error("a report with failed runs does not say so")
	}
	var text strings.Builder
	report.Print(&text)
	for _, want := range []string{"1.32-1.32", "66.0", "failed", "pods/s 1.32 times, CPU of the plugin per pod 0.25 times", "B/w: own: no etcd", "C/w: stock: no etcd", "D/w: not run: gate G is not supported"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestMeansAreGeometric(t *testing.T) {
	got := meansOf([]Comparison{{Ratio: 4, PluginCPU: 0.5}, {Ratio: 1}, {Failed: 1}})
	if math.Abs(got.PodsPerSecond-2) > 1e-9 || math.Abs(got.PluginCPU-0.5) > 1e-9 || got.Workloads != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestReportFailsWithoutWhatItIsFor(t *testing.T) {
	goal := failed("stock", 1)
	goal.Workload = defaultWorkloads()[0]
	fine := []Measurement{measured("stock", 1, 50, 8), measured("own", 1, 66, 2)}
	for name, test := range map[string]struct {
		runs []Measurement
		want bool
	}{
		"all is there":       {fine, false},
		"a goal is missing":  {append(fine, goal), true},
		"upstream never ran": {[]Measurement{failed("stock", 1), failed("own", 1)}, true},
	} {
		if got := NewReport("v1.37.1", 1, test.runs, nil).Failed(); got != test.want {
			t.Errorf("%s: failed %t", name, got)
		}
	}
}
