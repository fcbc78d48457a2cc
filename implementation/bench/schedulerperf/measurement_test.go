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
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// results is a shortened output of scheduler_perf.
const results = `{"version": "v1", "dataItems": [
{"data": {"Average": 55.5, "Perc50": 60}, "unit": "pods/s", "labels": {"Metric": "SchedulingThroughput", "plugin": "not applicable", "extension_point": "not applicable"}},
{"data": {"Average": 0.55}, "labels": {"Metric": "scheduler_framework_extension_point_duration_seconds", "extension_point": "PreFilter", "plugin": "not applicable"}},
{"data": {"Average": 9.4}, "labels": {"Metric": "scheduler_framework_extension_point_duration_seconds", "extension_point": "Filter", "plugin": "not applicable"}},
{"data": {"Average": 0.002}, "labels": {"Metric": "scheduler_plugin_execution_duration_seconds", "extension_point": "Filter", "plugin": "NodeName"}},
{"data": {"Average": 0.016}, "labels": {"Metric": "scheduler_plugin_execution_duration_seconds", "extension_point": "Filter", "plugin": "DRA"}},
{"data": {"Average": 486, "Max": 637}, "labels": {"Metric": "heap_memory_usage"}},
{"data": {"Duration": 18.8}, "labels": {"Metric": "SchedulingDuration"}}
]}`

func TestReadResults(t *testing.T) {
	for name, test := range map[string]struct {
		files     map[string]string
		wantError string
		short     bool
	}{
		"complete":      {files: map[string]string{"P_benchmark_DRA_now.json": results}},
		"no throughput": {files: map[string]string{"P_benchmark_DRA_now.json": strings.Replace(results, "SchedulingThroughput", "", 1)}, wantError: "SchedulingThroughput"},
		"too short":     {files: map[string]string{"P_benchmark_DRA_now.json": strings.NewReplacer("SchedulingThroughput", "", "18.8", "1.2").Replace(results)}, wantError: "too little scheduling", short: true},
		"no scheduling": {files: map[string]string{"P_benchmark_DRA_now.json": `{"version": "v1"}`}, wantError: "too little scheduling", short: true},
		"no duration":   {files: map[string]string{"P_benchmark_DRA_now.json": strings.Replace(results, "SchedulingDuration", "", 1)}, wantError: "SchedulingDuration"},
		"no Filter":     {files: map[string]string{"P_benchmark_DRA_now.json": strings.NewReplacer(`"Filter", "plugin": "not`, `"Other", "plugin": "not`, "18.8", "1.2").Replace(results)}, wantError: "point Filter"},
		"none":          {wantError: "0 files"},
		"cut off":       {files: map[string]string{"P_benchmark_DRA_now.json": results[:50]}, wantError: "decode"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range test.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m := Measurement{Plugin: Own}
			err := m.readResults(dir)
			if (err != nil) != (test.wantError != "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Fatalf("error %v, want %q", err, test.wantError)
			}
			if m.Short != test.short {
				t.Errorf("short: %t", m.Short)
			}
			want := Measurement{Plugin: Own, PodsPerSecond: 55.5, Filter: 9.4, PreFilter: 0.55, PluginFilter: 0.016, HeapAverage: 486, HeapMax: 637, Measured: 18.8}
			if err == nil && m.line() != want.line() || err == nil && (m.PluginFilter != want.PluginFilter || m.HeapMax != want.HeapMax || m.Measured != want.Measured) {
				t.Errorf("got %+v\nwant %+v", m, want)
			}
		})
	}
}

const traces = `File: bench-scheduler.test
Type: cpu
Duration: 18.83s, Total samples = 19.19s (101.93%)
-----------+-------------------------------------------------------
      10ms   runtime.mallocgc
             k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).Filter
             k8s.io/kubernetes/pkg/scheduler.(*Scheduler).findNodesThatPassFilters.func1
-----------+-------------------------------------------------------
     1.50s   runtime.scanObject (inline)
             runtime.gcBgMarkWorker
-----------+-------------------------------------------------------
      20ms   github.com/dra-conformance/dratest/implementation/scheduler.(*Plugin).PreFilter
-----------+-------------------------------------------------------
      45ms   k8s.io/dynamic-resource-allocation/resourceslice/tracker.(*Tracker).syncSlice
             k8s.io/client-go/tools/cache.(*processorListener).run
-----------+-------------------------------------------------------
      70ms   k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).isPodWorthRequeuing
             k8s.io/kubernetes/pkg/scheduler/util/assumecache.(*AssumeCache).emitEvents
-----------+-------------------------------------------------------
      50ms   k8s.io/dynamic-resource-allocation/cel.(*compiler).CompileCELExpression
             k8s.io/apiserver/pkg/endpoints/handlers.CreateNamedResource
-----------+-------------------------------------------------------
      30ms   runtime.mcall
`

func TestSplit(t *testing.T) {
	got, plugin, err := split([]byte(traces))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(plugin-0.075) > 1e-9 {
		t.Errorf("%v seconds of the plugin, want those of Filter, PreFilter and the event: 0.075", plugin)
	}
	want := map[string]float64{"Filter": 0.01, "GC": 1.5, "PreFilter": 0.02, "network": 0.045, "API server": 0.05, "queue, caches": 0.07, rest: 0.03}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for part, seconds := range want {
		if got[part] != seconds {
			t.Errorf("%s: %v seconds, want %v", part, got[part], seconds)
		}
	}
	if _, _, err := split([]byte("-----------+---\n  ten   runtime.mcall\n")); err == nil {
		t.Error("a sample without a time was read")
	}
}

func TestFirstRows(t *testing.T) {
	table := "File: x\n  flat  flat%\n 1s a\n 2s b\n 3s c\n"
	if got, want := firstRows(table, 2), "  flat  flat%\n 1s a\n 2s b\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBusySeconds(t *testing.T) {
	for stat, want := range map[string]float64{
		"cpu  100 200 300 9999 9999 50 40 10 7 7\ncpu0 1 1\n": 7,
		"cpu 1 2\n":                      0,
		"intr 1 2 3 4 5 6 7 8 9":         0,
		"cpu  100 x 300 9999 9 50 40 10": 0,
	} {
		if got := busySeconds(stat); got != want {
			t.Errorf("%q: %v, want %v", stat, got, want)
		}
	}
}

func TestReason(t *testing.T) {
	slow := "    scheduler_perf.go:878: ERROR:\n        \tfast: A/fast: expected \"SchedulingThroughput\" \"Average\" to be higher: got 95.000000, want 120.000000\n"
	if !missedThreshold(reason(slow)) || missedThreshold(reason("ERROR:\n\tpods do not come up\n"+slow)) {
		t.Errorf("a missed threshold: %q", reason(slow))
	}
	log := "x\n    scheduler_perf.go:996: FATAL ERROR:\n        \top 7: parameter measurePods is undefined\n    more\n"
	if got, want := reason(log), "op 7: parameter measurePods is undefined"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := reason("killed"), "no reason given"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
