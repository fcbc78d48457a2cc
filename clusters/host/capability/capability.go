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

package capability

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// names holds every capability at its number in linux/capability.h.
//
//nolint:gochecknoglobals // a table
var names = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL",
	"CAP_SETGID", "CAP_SETUID", "CAP_SETPCAP", "CAP_LINUX_IMMUTABLE", "CAP_NET_BIND_SERVICE",
	"CAP_NET_BROADCAST", "CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_IPC_LOCK", "CAP_IPC_OWNER",
	"CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_CHROOT", "CAP_SYS_PTRACE", "CAP_SYS_PACCT",
	"CAP_SYS_ADMIN", "CAP_SYS_BOOT", "CAP_SYS_NICE", "CAP_SYS_RESOURCE", "CAP_SYS_TIME",
	"CAP_SYS_TTY_CONFIG", "CAP_MKNOD", "CAP_LEASE", "CAP_AUDIT_WRITE", "CAP_AUDIT_CONTROL",
	"CAP_SETFCAP", "CAP_MAC_OVERRIDE", "CAP_MAC_ADMIN", "CAP_SYSLOG", "CAP_WAKE_ALARM",
	"CAP_BLOCK_SUSPEND", "CAP_AUDIT_READ", "CAP_PERFMON", "CAP_BPF", "CAP_CHECKPOINT_RESTORE",
}

// Bounding is a bounding set; bit n stands for capability number n.
type Bounding uint64

// Missing returns the names of the kernel's capabilities (numbers up to and including last) missing from the set, in
// the kernel's order.
func (b Bounding) Missing(last int) []string {
	var missing []string
	for n := range min(last, 63) + 1 {
		if b&(1<<n) != 0 {
			continue
		}
		if n < len(names) {
			missing = append(missing, names[n])
		} else {
			missing = append(missing, "CAP_"+strconv.Itoa(n))
		}
	}
	return missing
}

// Lacks reports whether a known capability is missing from the set. Capabilities newer than this package count as
// present.
func (b Bounding) Lacks(name string) bool {
	n := slices.Index(names, name)
	return n >= 0 && b&(1<<n) == 0
}

// Parse returns the bounding set in the text of /proc/<pid>/status.
func Parse(status string) (Bounding, error) {
	for line := range strings.Lines(status) {
		value, found := strings.CutPrefix(line, "CapBnd:")
		if !found {
			continue
		}
		set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return 0, fmt.Errorf("parse CapBnd: %w", err)
		}
		return Bounding(set), nil
	}
	return 0, fmt.Errorf("parse process status: no CapBnd line")
}

// Read returns the bounding set of process pid in /proc; "self" is allowed.
func Read(pid string) (Bounding, error) {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0, fmt.Errorf("read bounding set: %w", err)
	}
	return Parse(string(status))
}

// Last returns the highest capability number of the running kernel.
func Last() (int, error) {
	text, err := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	if err != nil {
		return 0, fmt.Errorf("read the kernel's last capability: %w", err)
	}
	last, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("parse the kernel's last capability: %w", err)
	}
	return last, nil
}
