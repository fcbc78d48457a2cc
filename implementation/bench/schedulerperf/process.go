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
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// stuck ends a run with pods that are never scheduled; upstream itself waits ten minutes for them.
const stuck = 15 * time.Minute

// start runs the harness in a separate process.
func (c Config) start(ctx context.Context, w Workload, s side, file, dir string) (usage, error) {
	// etcd's data and socket; the socket path must be short.
	temp, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return usage{}, fmt.Errorf("make a directory for etcd: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	log, err := os.Create(filepath.Join(dir, "output.log"))
	if err != nil {
		return usage{}, fmt.Errorf("make the log of a run: %w", err)
	}
	defer func() { _ = log.Close() }()

	ctx, cancel := context.WithTimeoutCause(ctx, stuck, fmt.Errorf("not done after %s", stuck))
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Harness, arguments(w, s.plugin, file, dir)...)
	cmd.Dir = w.Dir
	// ARTIFACTS makes scheduler_perf log to a file there, like upstream's own runs; it removes the
	// file on success.
	cmd.Env = append(os.Environ(), "PATH="+c.BinDir+string(os.PathListSeparator)+os.Getenv("PATH"), "ARTIFACTS="+dir, "TMPDIR="+temp)
	cmd.Stdout, cmd.Stderr = log, log
	// etcd is the harness's child and must not outlive it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	before := busy()
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if text, readErr := os.ReadFile(log.Name()); readErr == nil {
			why := reason(string(text))
			if missedThreshold(why) {
				return usageOf(cmd, before), nil
			}
			err = fmt.Errorf("%w: %s", err, why)
		}
		return usage{}, fmt.Errorf("run the workload (%s has its log): %w", dir, err)
	}
	return usageOf(cmd, before), nil
}

// reason returns the first error of upstream's test framework.
func reason(log string) string {
	_, after, found := strings.Cut(log, "ERROR:\n")
	if !found {
		return "no reason given"
	}
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}

// missedThreshold reports whether the only error is a missed rate threshold of a workload, due to a
// slower machine than upstream's. The numbers are valid.
func missedThreshold(reason string) bool {
	return strings.Contains(reason, `expected "SchedulingThroughput" "Average" to be higher`)
}

// arguments are the flags of scheduler_perf, Go's testing package and the harness.
func arguments(w Workload, plugin, file, dir string) []string {
	exactly := func(name string) string { return "^" + regexp.QuoteMeta(name) + "$" }
	return []string{
		"-test.run=^$",
		"-test.bench=^BenchmarkPerfScheduling$/" + exactly(w.Case) + "/" + exactly(w.Name),
		"-test.benchtime=1x",
		// The default selects workloads by label; here it is by name.
		"-perf-scheduling-label-filter=",
		"-perf-cpuprofile",
		"-data-items-dir=" + dir,
		"-with-data-items-unique-id=false",
		"-workload-file=" + file,
		"-plugin=" + plugin,
	}
}
