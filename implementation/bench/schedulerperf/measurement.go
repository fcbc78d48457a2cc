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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Measurement is the result of one run of one workload with one plugin.
type Measurement struct {
	Workload string `json:"workload"`
	// Pods is the number of measured pods, if known in advance.
	Pods int `json:"pods,omitempty"`
	// Side is the role of the run: stock, own or control.
	Side string `json:"side"`
	// Plugin is the plugin allocating devices: DynamicResources or DRA.
	Plugin string `json:"plugin"`
	// Repetition counts from 1.
	Repetition int `json:"repetition"`
	// PodsPerSecond is scheduler_perf's average of SchedulingThroughput.
	PodsPerSecond float64 `json:"podsPerSecond"`
	// Filter and PreFilter are the averages of the two extension points per pod, over all plugins
	// and all tried nodes together.
	Filter    float64 `json:"filterMilliseconds"`
	PreFilter float64 `json:"preFilterMilliseconds"`
	// PluginFilter is the average of the plugin's own Filter per node, PluginPreFilter that of its
	// PreFilter. Upstream samples one pod in ten.
	PluginFilter    float64 `json:"pluginFilterMilliseconds"`
	PluginPreFilter float64 `json:"pluginPreFilterMilliseconds"`
	// HeapAverage and HeapMax are for the whole process: scheduler, API server, controllers and pod
	// creator. So is Resident, its peak.
	HeapAverage float64 `json:"heapAverageMiB"`
	HeapMax     float64 `json:"heapMaxMiB"`
	Resident    float64 `json:"residentMiB"`
	// CPU is the CPU time of the harness and etcd, Others that of everything else on the machine
	// meanwhile, in seconds.
	CPU    float64 `json:"cpuSeconds"`
	Others float64 `json:"othersCPUSeconds"`
	// Parts has the CPU time per pod of each part of the harness.
	Parts map[string]float64 `json:"cpuMillisecondsPerPod,omitempty"`
	// PluginCPU is the plugin's CPU time per pod, including callees and event handlers, but without
	// garbage collection.
	PluginCPU float64 `json:"pluginCPUMillisecondsPerPod,omitempty"`
	// Measured is the duration of the run's measured part.
	Measured float64 `json:"measuredSeconds"`
	// Elapsed is the run's duration including setup and shutdown.
	Elapsed float64 `json:"elapsedSeconds"`
	// Profile is the CPU profile of the measured part, Dir has the run's other files.
	Profile string `json:"profile"`
	Dir     string `json:"dir"`
	// Error is why there are no numbers.
	Error string `json:"error,omitempty"`
	// Short is set for a successful run too short to measure a rate, or without scheduling.
	Short bool `json:"short,omitempty"`
}

type dataItems struct {
	DataItems []struct {
		Data   map[string]float64 `json:"data"`
		Labels map[string]string  `json:"labels"`
	} `json:"dataItems"`
}

// none is scheduler_perf's value for a label missing in a metric.
const none = "not applicable"

// value returns one number of the result file.
func (d dataItems) value(metric, bucket, plugin, point string) (float64, bool) {
	for _, item := range d.DataItems {
		if item.Labels["Metric"] == metric && label(item.Labels, "plugin") == plugin && label(item.Labels, "extension_point") == point {
			value, ok := item.Data[bucket]
			return value, ok
		}
	}
	return 0, false
}

func label(labels map[string]string, name string) string {
	if value, has := labels[name]; has {
		return value
	}
	return none
}

// readResults reads scheduler_perf's measurements.
func (m *Measurement) readResults(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*_benchmark_*.json"))
	if err != nil {
		return fmt.Errorf("look for scheduler_perf's results: %w", err)
	}
	if len(files) != 1 {
		return fmt.Errorf("read scheduler_perf's results: %d files in %s instead of one", len(files), dir)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return fmt.Errorf("read scheduler_perf's results: %w", err)
	}
	var items dataItems
	if err := json.Unmarshal(data, &items); err != nil {
		return fmt.Errorf("decode scheduler_perf's results: %w", err)
	}
	return m.fill(items)
}

// tooShort is the longest scheduling duration without a rate: upstream samples every second, and
// drops the first sample.
const tooShort = 3 // seconds

// fill copies the numbers. Only throughput, duration and the two extension points are required: a
// plugin's own durations are sampled, and may be missing.
func (m *Measurement) fill(items dataItems) error {
	const (
		points  = "scheduler_framework_extension_point_duration_seconds"
		plugins = "scheduler_plugin_execution_duration_seconds"
		average = "Average"

		throughput = "SchedulingThroughput"
		duration   = "SchedulingDuration"
	)
	for _, want := range []struct {
		to                            *float64
		metric, bucket, plugin, point string
		required                      bool
	}{
		{&m.PodsPerSecond, throughput, average, none, none, true},
		{&m.Filter, points, average, none, "Filter", true},
		{&m.PreFilter, points, average, none, "PreFilter", true},
		{&m.PluginFilter, plugins, average, m.Plugin, "Filter", false},
		{&m.PluginPreFilter, plugins, average, m.Plugin, "PreFilter", false},
		{&m.Measured, duration, "Duration", none, none, true},
		{&m.HeapAverage, "heap_memory_usage", average, none, none, false},
		{&m.HeapMax, "heap_memory_usage", "Max", none, none, false},
	} {
		value, ok := items.value(want.metric, want.bucket, want.plugin, want.point)
		if !ok && want.required {
			took, _ := items.value(duration, "Duration", none, none) // nothing, if nothing is scheduled
			if m.Short = want.metric == throughput && took < tooShort; m.Short {
				return errors.New("there is too little scheduling to measure a rate")
			}
			return fmt.Errorf("scheduler_perf measured no %s (point %s) in %.0f s", want.metric, want.point, took)
		}
		*want.to = value
	}
	return nil
}
