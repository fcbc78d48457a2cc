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

package host

import (
	"fmt"
	"strconv"
	"strings"
)

// State is whether a row needs attention.
type State string

const (
	// OK needs nothing.
	OK State = "ok"
	// Warning does not prevent clusters; the advice describes the limitation.
	Warning State = "warning"
	// Missing must be remedied before a cluster can run.
	Missing State = "missing"
)

// Row is one line of the table printed by "dratest doctor".
type Row struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Found is the observed state.
	Found string `json:"found"`
	// Advice is how to fix it, or the consequence of an ok row; may be empty.
	Advice string `json:"advice,omitempty"`
	// Fixable: Fix can remedy it on this machine.
	Fixable bool `json:"fixable,omitempty"`
}

const gib = 1 << 30

// Requirements of clusters, in bytes. A first build fills Go's caches, the image cache and the engine; later only
// containers grow.
const (
	diskToBuild  = 15 * gib
	diskToRun    = 4 * gib
	memory       = 6 * gib
	memoryAtAll  = 4 * gib
	goToBuild    = "1.26"
	runtimeName  = "dratest"
	fixCommand   = "dratest doctor --fix"
	dockerManual = "https://docs.docker.com/engine/install/"
)

// judge turns facts into the rows of the table, in a fixed order.
func judge(f facts) []Row {
	return []Row{
		judgeEngine(f),
		judgePrivileged(f),
		judgeCapabilities(f),
		judgeCgroup(f),
		judgeDisk(f),
		judgeMemory(f),
		judgeGo(f),
		judgeDebootstrap(f),
		judgeRoot(f),
	}
}

func judgeEngine(f facts) Row {
	row := Row{Name: "engine", State: Missing}
	switch {
	case f.Engine.Version != "":
		row.State, row.Found = OK, "Docker "+f.Engine.Version
		if f.Installed {
			row.Found += ", installed by dratest"
		}
		if f.Client.Elsewhere != "" {
			row.Found += " at " + f.Client.Elsewhere
		}
		return row
	case f.Client.Elsewhere != "":
		row.Found = fmt.Sprintf("no answer from %s", f.Client.Elsewhere)
		row.Advice = "start that engine, or unset DOCKER_HOST and DOCKER_CONTEXT (\"docker context use default\") to use this machine's"
		return row
	case strings.Contains(f.Engine.Failure, "permission denied"):
		row.Found = "an engine that this user may not use"
		row.Advice = "run as root, or add yourself to the group docker and log in again"
		return row
	case f.Client.isPodman():
		row.Found = f.Client.Version + ", which dratest does not use"
		row.Advice = "remove the package podman-docker, then run " + strconv.Quote(fixCommand)
		return row
	case f.Daemon != "" && f.Client.Version == "":
		row.Found = "Docker is installed without its client"
	case f.Daemon != "":
		row.Found = "Docker is installed and does not answer"
	case f.Client.Podman:
		row.Found = "only Podman, which dratest does not use"
	case f.Client.Version != "":
		row.Found = "only a Docker client, no engine"
	default:
		row.Found = "none"
	}
	row.Fixable, row.Advice = remedyForEngine(f)
	return row
}

// remedyForEngine returns advice if no local engine is running.
func remedyForEngine(f facts) (fixable bool, advice string) {
	start := "systemctl start docker"
	if !f.Systemd {
		start = "start dockerd"
	}
	switch {
	case f.OS != "linux":
		return false, "install and start Docker: " + dockerManual
	case f.Daemon != "" && f.Client.Version == "":
		return f.Debian && f.Root, "as root: apt-get install docker-cli"
	case f.Daemon != "" && f.Root:
		return true, fmt.Sprintf("%q starts it (10 s)", fixCommand)
	case f.Daemon != "":
		return false, fmt.Sprintf("as root: %s, or \"sudo %s\"", start, fixCommand)
	case f.Debian && f.Root:
		return true, fmt.Sprintf("%q installs docker.io and starts it (about a minute)", fixCommand)
	case f.Debian:
		return false, fmt.Sprintf("as root: apt-get install docker.io, or \"sudo %s\"", fixCommand)
	default:
		return false, "install and start Docker: " + dockerManual
	}
}

func judgePrivileged(f facts) Row {
	row := Row{Name: "privileged containers"}
	switch {
	case f.Engine.Version == "":
		row.State, row.Found = Missing, "not tried, no engine answers"
		row.Fixable = judgeEngine(f).Fixable
	case f.Engine.Privileged == works:
		row.State, row.Found = OK, "work"
		if f.Engine.Runtime == runtimeName {
			row.Found = "work, through dratest-oci-runtime"
		}
	case f.Engine.Privileged == untried:
		row.State, row.Found = Warning, "not tried on "+f.Engine.Arch
		row.Advice = "check that \"docker run --privileged\" works"
	default:
		row.State, row.Found = Missing, "fail: "+f.Engine.Cause
		row.Advice = adviceForPrivileged(f)
		row.Fixable = f.Engine.Runtime == runtimeName && f.Root
	}
	return row
}

func adviceForPrivileged(f facts) string {
	cause := strings.ToLower(f.Engine.Cause)
	switch {
	case f.Engine.Runtime == runtimeName && f.Root:
		return fmt.Sprintf("%q installs dratest-oci-runtime anew", fixCommand)
	case strings.Contains(cause, "user namespace"):
		return "kind needs an engine without userns-remap: remove it from the engine's configuration"
	case strings.Contains(cause, "caps") && len(f.Missing) > 0 && (f.Systemd || f.Client.Elsewhere != ""):
		return fmt.Sprintf("this engine's machine lacks %s: give it the capability, or make dratest-oci-runtime the default runtime in the engine's configuration",
			strings.Join(f.Missing, ", "))
	case strings.Contains(cause, "caps") && len(f.Missing) > 0:
		return fmt.Sprintf("this machine lacks %s, which the engine's runtime insists on: give the machine the capability, or stop this engine so that %q starts it with dratest-oci-runtime",
			strings.Join(f.Missing, ", "), fixCommand)
	default:
		return "kind needs privileged containers: allow them in the engine's configuration; dratest changes no engine that it did not start"
	}
}

func judgeCapabilities(f facts) Row {
	row := Row{Name: "capabilities", State: OK}
	switch {
	case f.OS != "linux":
		row.Found = "those of the engine's machine"
	case len(f.Missing) == 0:
		row.Found = "all"
	case f.Engine.Privileged == fails:
		row.State, row.Found = Warning, "without "+strings.Join(f.Missing, ", ")
		row.Advice = "see privileged containers"
	default:
		row.Found = "without " + strings.Join(f.Missing, ", ")
		row.Advice = "node images for a machine without them are built"
	}
	return row
}

func judgeCgroup(f facts) Row {
	row := Row{Name: "cgroup", State: OK}
	version := f.Engine.Cgroup
	if version == 0 {
		version = f.Cgroup
	}
	switch version {
	case 1:
		row.Found, row.Advice = "v1", "works; kubelets run with failCgroupV1: false"
	case 2:
		row.Found = "v2"
	default:
		row.Found = "unknown"
		if f.OS == "linux" {
			row.State, row.Advice = Missing, "mount cgroups on /sys/fs/cgroup (package cgroupfs-mount, or systemd)"
		}
	}
	return row
}
