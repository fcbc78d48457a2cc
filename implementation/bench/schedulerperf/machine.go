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
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// ticks is the unit of /proc/stat, fixed by Linux for userspace.
const ticks = 100

// busy returns the CPU seconds of all processors since boot, or 0 if unknown.
func busy() float64 {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return busySeconds(string(stat))
}

// busySeconds parses the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq,
// steal.
func busySeconds(stat string) float64 {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0
	}
	var sum float64
	for i, field := range fields[1:9] {
		value, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0
		}
		if i != 3 && i != 4 {
			sum += value
		}
	}
	return sum / ticks
}

type usage struct {
	// resident is the peak of the harness' resident memory in MiB.
	resident float64
	// cpu is the CPU time of the harness and etcd, others that of everything else on the machine,
	// in seconds.
	cpu, others float64
}

// usageOf reads the operating system's record of an ended process and its children, including etcd.
func usageOf(cmd *exec.Cmd, busyBefore float64) usage {
	u := usage{cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	u.others = max(0, busy()-busyBefore-u.cpu)
	if record, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.resident = float64(record.Maxrss) / 1024
	}
	return u
}
