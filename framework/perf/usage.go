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
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/dra-conformance/dratest/framework/metrics"
)

// spent is the resource usage of processes so far.
type spent struct {
	at time.Time
	// cpu is in seconds, by process name; self is this program.
	cpu  map[string]float64
	self float64
	// busy is the CPU time of all processors of the machine, in seconds.
	busy float64
	// rss is resident memory in bytes.
	rss map[string]float64
}

// counts are counters of the API server and the scheduler.
type counts struct {
	// requests are the requests received by the API server; writes are the write requests, by verb and
	// resource such as "POST pods/binding".
	requests float64
	writes   map[string]float64
	// bytes is the API server's traffic in both directions.
	bytes float64
	// plugin is the time of the scheduler's DRA plugin, by extension point.
	plugin map[string]observed
}

// observed is the state of a histogram.
type observed struct{ sum, count float64 }

// spent reads the usage of the control plane's processes.
func (f *fixture) spent() (u spent, err error) {
	u = spent{at: time.Now(), cpu: map[string]float64{}, rss: map[string]float64{}}
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return u, fmt.Errorf("read usage of processes: %w", err)
	}
	for name, process := range f.processes {
		if u.cpu[name], err = cpuTime(process.ID); err != nil {
			return u, fmt.Errorf("read usage of %s (process %d): %w", name, process.ID, err)
		}
		if u.rss[name], err = resident(fs, process.ID); err != nil {
			return u, fmt.Errorf("read usage of %s (process %d): %w", name, process.ID, err)
		}
	}
	if u.self, err = cpuTime(os.Getpid()); err != nil {
		return u, fmt.Errorf("read usage of this program: %w", err)
	}
	all, err := fs.Stat()
	if err != nil {
		return u, fmt.Errorf("read usage of the machine: %w", err)
	}
	t := all.CPUTotal
	u.busy = t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal
	return u, nil
}

// counts reads the counters. This costs CPU time of the API server and the scheduler, so call it
// outside of the interval between two calls of spent.
func (f *fixture) counts(ctx context.Context) (c counts, err error) {
	c = counts{writes: map[string]float64{}}
	families, err := metrics.APIServer(ctx, f.client)
	if err != nil {
		return c, err
	}
	c.count(families)
	if families, err = metrics.Get(ctx, f.web, f.processes[scheduler].URL+"/metrics"); err != nil {
		return c, fmt.Errorf("read metrics of %s: %w", scheduler, err)
	}
	c.plugin = pluginTimes(families)
	return c, nil
}

// live adds the live heap of scheduler and controllers to values.
func (f *fixture) live(ctx context.Context, values map[Metric]float64) error {
	if err := f.collect(ctx); err != nil {
		return err
	}
	for _, name := range f.programs(SchedulerComponent, ControllersComponent) {
		families, err := metrics.Get(ctx, f.web, f.processes[name].URL+"/metrics")
		if err != nil {
			return fmt.Errorf("read metrics of %s: %w", name, err)
		}
		metric := ControllersHeap
		if name == scheduler {
			metric = SchedulerHeap
		}
		for _, m := range families["go_gc_heap_live_bytes"].GetMetric() {
			values[metric] += m.GetGauge().GetValue()
		}
	}
	return nil
}

// collect triggers a garbage collection in scheduler and controllers. A component just started loads
// its authorization rules from the API server first.
func (f *fixture) collect(ctx context.Context) error {
	for _, name := range f.programs(SchedulerComponent, ControllersComponent) {
		var err error
		_ = wait.PollUntilContextTimeout(ctx, lookAgain, mayAskAfter, true, func(ctx context.Context) (bool, error) {
			err = download(ctx, f.web, f.processes[name].URL+"/debug/pprof/heap?gc=1", io.Discard)
			return !errors.Is(err, errMayNot), nil
		})
		if err != nil {
			return fmt.Errorf("have %s collect garbage: %w", name, err)
		}
	}
	return nil
}

// pluginTimes returns the times of the DRA plugin, stock or this project's. The scheduler samples a
// tenth of all attempts.
func pluginTimes(families metrics.Families) map[string]observed {
	out := map[string]observed{}
	for _, m := range families["scheduler_plugin_execution_duration_seconds"].GetMetric() {
		if plugin := metrics.Label(m, "plugin"); plugin != "DynamicResources" && plugin != "DRA" {
			continue
		}
		point, h := metrics.Label(m, "extension_point"), m.GetHistogram()
		o := out[point]
		out[point] = observed{o.sum + h.GetSampleSum(), o.count + float64(h.GetSampleCount())}
	}
	return out
}

// pluginSince returns the plugin's time per sampled attempt since before, by extension point in
// seconds; nil without samples.
func (c *counts) pluginSince(before counts) map[string]float64 {
	out := map[string]float64{}
	attempts := c.plugin["PreFilter"].count - before.plugin["PreFilter"].count
	for point, now := range c.plugin {
		if spent := now.sum - before.plugin[point].sum; attempts > 0 && spent > 0 {
			out[point] = spent / attempts
		}
	}
	return out
}

func resident(fs procfs.FS, pid int) (float64, error) {
	p, err := fs.Proc(pid)
	if err != nil {
		return 0, err
	}
	s, err := p.Stat()
	return float64(s.ResidentMemory()), err
}

// cpuTime returns a process's CPU time in seconds, to the nanosecond: /proc/PID/stat counts hundredths
// of a second, several per cent of a round. The clock ID is that of clock_getcpuclockid(3): the
// inverted PID with CPUCLOCK_SCHED.
func cpuTime(pid int) (float64, error) {
	const sched = 2
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|sched), &used); err != nil { //nolint:gosec // PIDs are below 2^22
		return 0, fmt.Errorf("read its CPU clock: %w", err)
	}
	return time.Duration(used.Nano()).Seconds(), nil
}

// traffic are the API server's histograms in bytes. Responses to writes are not counted.
var traffic = []string{"apiserver_request_body_size_bytes", "apiserver_response_sizes", "apiserver_watch_events_sizes"} //nolint:gochecknoglobals // a table

// count adds up requests and bytes.
func (c *counts) count(families metrics.Families) {
	for _, m := range families["apiserver_request_total"].GetMetric() {
		if metrics.Label(m, "resource") == "leases" {
			continue // nodes are updated periodically
		}
		c.requests += m.GetCounter().GetValue()
		switch metrics.Label(m, "verb") {
		case "POST", "PUT", "PATCH", "APPLY", "DELETE": // a DELETE may be of a collection
			what := metrics.Label(m, "verb") + " " + metrics.Label(m, "resource")
			if sub := metrics.Label(m, "subresource"); sub != "" {
				what += "/" + sub
			}
			c.writes[what] += m.GetCounter().GetValue()
		}
	}
	for _, family := range traffic {
		for _, m := range families[family].GetMetric() {
			// Reads without a resource are those of these metrics.
			if resource := metrics.Label(m, "resource"); resource != "leases" && resource != "" {
				c.bytes += m.GetHistogram().GetSampleSum()
			}
		}
	}
}

// writesSince returns the writes per pod since before, except this program's.
func (c *counts) writesSince(before counts, ours map[string]int, pods int) map[string]float64 {
	out := map[string]float64{}
	for what, n := range c.writes {
		if n -= before.writes[what] + float64(ours[what]); n > 0 {
			out[what] = n / float64(pods)
		}
	}
	return out
}

// others returns the share of the machine, from 0 to 1, used by neither this program nor the control
// plane.
func others(before, after spent) float64 {
	ours := after.self - before.self
	for name := range after.cpu {
		ours += after.cpu[name] - before.cpu[name]
	}
	wall := after.at.Sub(before.at).Seconds() * float64(runtime.NumCPU())
	return max(0, after.busy-before.busy-ours) / wall
}
