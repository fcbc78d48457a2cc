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
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// part is a part of the process, identified by a function on the stack. Filter and PreFilter are
// those of the plugin alone; network is connections and informers.
type part struct {
	Name     string
	patterns []string
	// elsewhere is set for parts outside the scheduler.
	elsewhere bool
}

// parts are matched in this order: for example, the claim controller's requests count for it until
// they reach the API server's goroutines.
func parts() []part {
	const scheduler = "kubernetes/pkg/scheduler"
	return []part{
		{"GC", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"}, true},
		{"Filter", []string{"dynamicresources.(*DynamicResources).Filter", "implementation/scheduler.(*Plugin).Filter"}, false},
		{"PreFilter", []string{"dynamicresources.(*DynamicResources).PreFilter", "implementation/scheduler.(*Plugin).PreFilter"}, false},
		{"rest of cycle", []string{
			scheduler + ".(*Scheduler).findNodesThatPassFilters", scheduler + ".(*Scheduler).schedulingCycle", scheduler + ".(*Scheduler).ScheduleOne",
			scheduler + "/framework/runtime.(*frameworkImpl).RunScorePlugins",
		}, false},
		{"binding", []string{scheduler + ".(*Scheduler).bindingCycle", scheduler + ".(*Scheduler).runBindingCycle"}, false},
		{"queue, caches", []string{scheduler + "/backend/", scheduler + "/util/assumecache", scheduler + ".addAllEventHandlers", "implementation/"}, false},
		{"claim ctrl", []string{"pkg/controller/resourceclaim"}, true},
		{"other ctrl", []string{"pkg/controller/"}, true},
		{"API server", []string{"k8s.io/apiserver/", "k8s.io/kubernetes/pkg/registry", "go.etcd.io/etcd/client"}, true},
		{"pod creation", []string{"test/integration/scheduler_perf"}, true},
		{"network", []string{"net/http", "golang.org/x/net/http2", "k8s.io/client-go/", "google.golang.org/grpc"}, false},
	}
}

func partNames() []string {
	var names []string
	for _, part := range parts() {
		names = append(names, part.Name)
	}
	return names
}

// topFile is the text file with the top of a run's profile.
const topFile = "top.txt"

// readProfile finds the CPU profile and writes its top to a text file beside it.
func (m *Measurement) readProfile(ctx context.Context) error {
	files, err := filepath.Glob(filepath.Join(m.Dir, "*-cpu.prof"))
	if err != nil {
		return fmt.Errorf("look for the profile: %w", err)
	}
	if len(files) != 1 {
		return fmt.Errorf("read the profile: %d files in %s instead of one", len(files), m.Dir)
	}
	m.Profile = files[0]
	for name, flags := range map[string][]string{
		topFile:          {"-top", "-nodecount=40"},
		"cumulative.txt": {"-top", "-cum", "-nodecount=200"},
	} {
		text, err := pprof(ctx, append(flags, m.Profile)...)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(m.Dir, name), text, 0o644); err != nil {
			return fmt.Errorf("write the profile as text: %w", err)
		}
	}
	traces, err := pprof(ctx, "-traces", m.Profile)
	if err != nil {
		return err
	}
	if m.Parts, m.PluginCPU, err = split(traces); err != nil {
		return err
	}
	pods := float64(m.Pods)
	if pods == 0 {
		pods = m.PodsPerSecond * m.Measured
	}
	millisecondsPerPod := 1000 / pods
	for part := range m.Parts {
		m.Parts[part] *= millisecondsPerPod
	}
	m.PluginCPU *= millisecondsPerPod
	return nil
}

func pprof(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"tool", "pprof"}, args...)...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("read the profile with go tool pprof: %w: %s", err, problems.String())
	}
	return out, nil
}

// split sums up the seconds of each part, with "rest" for none, and also the plugin's seconds in
// any part. The input is pprof's -traces output: blocks separated by dashes, each the stack of a
// sample with the time and innermost function first.
func split(traces []byte) (seconds map[string]float64, plugin float64, err error) {
	seconds = map[string]float64{}
	var value time.Duration
	var stack []string
	flush := func() {
		if len(stack) > 0 {
			in := partOf(stack)
			seconds[in.Name] += value.Seconds()
			if ofPlugin(in, stack) {
				plugin += value.Seconds()
			}
		}
		value, stack = 0, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(traces))
	lines.Buffer(nil, 1<<20)
	started := false
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "-----------+") {
			started = true
			flush()
			continue
		}
		fields := strings.Fields(line)
		if !started || len(fields) == 0 {
			continue
		}
		if len(stack) == 0 {
			if value, err = time.ParseDuration(fields[0]); err != nil {
				return nil, 0, fmt.Errorf("read a sample of the profile: %w", err)
			}
			fields = fields[1:]
		}
		stack = append(stack, strings.Join(fields, " "))
	}
	flush()
	if err := lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("read the samples of the profile: %w", err)
	}
	return seconds, plugin, nil
}

// ofPlugin reports whether a sample belongs to the plugin, upstream's or ours, including its
// allocator and its cache of devices and claims. The innermost decisive function counts: a claim
// cache calling its handlers makes the scheduler scan its queue, calling plugins in turn.
// Controllers and API server also use both libraries.
func ofPlugin(in part, stack []string) bool {
	if in.elsewhere {
		return false
	}
	for _, function := range stack {
		switch {
		case matches(function, "plugins/dynamicresources.", "scheduler/util/assumecache.", "k8s.io/dynamic-resource-allocation/",
			"implementation/scheduler", "implementation/allocator", "implementation/inventory", "implementation/state"):
			return true
		case matches(function, "kubernetes/pkg/scheduler/backend/", "kubernetes/pkg/scheduler.addAllEventHandlers"):
			return false
		}
	}
	return false
}

// rest is the part of all other functions.
const rest = "rest"

func partOf(stack []string) part {
	for _, part := range parts() {
		if slices.ContainsFunc(stack, func(function string) bool { return matches(function, part.patterns...) }) {
			return part
		}
	}
	return part{Name: rest}
}

func matches(function string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return strings.Contains(function, pattern) })
}
