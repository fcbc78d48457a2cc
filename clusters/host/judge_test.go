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
	"errors"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

// machine is a Debian machine with all prerequisites, as root.
func machine(change func(*facts)) facts {
	f := facts{
		OS: "linux", Debian: true, Root: true, Systemd: true,
		Client: client{Version: "Docker version 28.2.2"},
		Engine: engine{
			Version: "28.2.2", Arch: "amd64", System: "Debian GNU/Linux 12", Runtime: "runc", Cgroup: 2,
			Memory: 16 * gib, DataDir: "/var/lib/docker", Privileged: works,
		},
		Daemon: "/usr/sbin/dockerd", Cgroup: 2, Memory: 12 * gib, Go: "1.26.8", Debootstrap: "/usr/sbin/debootstrap",
		Disks: []disk{{"/var/lib/docker", 40 * gib}},
	}
	change(&f)
	return f
}

// Machine states shared by several rows of the table.
func noEngine(f *facts) { f.Engine = engine{Failure: "Cannot connect to the Docker daemon"} }

func bare(f *facts) {
	noEngine(f)
	f.Client, f.Daemon, f.Debootstrap = client{}, "", ""
}

func TestJudge(t *testing.T) {
	tests := []struct {
		name   string
		change func(*facts)
		// want has "row state" for each row other than ok; found and advice are substrings of the first such row.
		want          []string
		found, advice string
		fixable       bool
	}{
		{name: "everything", change: func(*facts) {}},
		{
			name: "bare Debian as root", change: bare, fixable: true,
			want:  []string{"engine missing", "privileged containers missing", "debootstrap missing"},
			found: "none", advice: "installs docker.io and starts it",
		},
		{
			name: "bare Ubuntu without root", change: func(f *facts) { bare(f); f.Root = false },
			want:   []string{"engine missing", "privileged containers missing", "debootstrap warning", "root warning"},
			advice: "as root: apt-get install docker.io",
		},
		{
			name: "only a client", change: func(f *facts) { noEngine(f); f.Daemon = "" }, fixable: true,
			want:  []string{"engine missing", "privileged containers missing"},
			found: "only a Docker client, no engine", advice: "installs docker.io",
		},
		{
			name: "stopped or killed engine", change: func(f *facts) { noEngine(f); f.Systemd = false }, fixable: true,
			want:  []string{"engine missing", "privileged containers missing"},
			found: "installed and does not answer", advice: `"dratest doctor --fix" starts it`,
		},
		{
			name: "stopped engine without root", change: func(f *facts) { noEngine(f); f.Root = false },
			want:   []string{"engine missing", "privileged containers missing", "root warning"},
			advice: "as root: systemctl start docker",
		},
		{
			name: "stopped engine without root and systemd", change: func(f *facts) { noEngine(f); f.Root, f.Systemd = false, false },
			want:   []string{"engine missing", "privileged containers missing", "root warning"},
			advice: "as root: start dockerd",
		},
		{
			name: "user is not in the group", change: func(f *facts) { f.Root, f.Engine = false, engine{Failure: "permission denied while trying to connect"} },
			want:  []string{"engine missing", "privileged containers missing", "root warning"},
			found: "may not use", advice: "group docker",
		},
		{
			name: "dockerd without client", change: func(f *facts) { noEngine(f); f.Client = client{} }, fixable: true,
			want:  []string{"engine missing", "privileged containers missing"},
			found: "without its client", advice: "docker-cli",
		},
		{
			name: "only Podman", change: func(f *facts) { bare(f); f.Client.Podman = true }, fixable: true,
			want:  []string{"engine missing", "privileged containers missing", "debootstrap missing"},
			found: "only Podman",
		},
		{
			name: "docker is Podman", change: func(f *facts) { bare(f); f.Client = client{Version: "podman version 4.3.1", Podman: true} },
			want:  []string{"engine missing", "privileged containers missing", "debootstrap missing"},
			found: "podman version 4.3.1", advice: "remove the package podman-docker",
		},
		{
			name: "wrong DOCKER_HOST", change: func(f *facts) { noEngine(f); f.Client.Elsewhere = "tcp://build:2375" },
			want:  []string{"engine missing", "privileged containers missing"},
			found: "no answer from tcp://build:2375", advice: "unset DOCKER_HOST",
		},
		{
			name: "Fedora without engine", change: func(f *facts) { bare(f); f.Debian = false },
			want:   []string{"engine missing", "privileged containers missing", "debootstrap warning"},
			advice: dockerManual,
		},
		{
			name: "macOS without Docker Desktop", change: func(f *facts) { bare(f); f.OS, f.Debian, f.Root, f.Cgroup = "darwin", false, false, 0 },
			want:   []string{"engine missing", "privileged containers missing", "debootstrap warning"},
			advice: dockerManual,
		},
		{
			name: "macOS with Docker Desktop",
			change: func(f *facts) {
				f.OS, f.Debian, f.Root, f.Cgroup, f.Memory, f.Debootstrap = "darwin", false, false, 0, 0, ""
				f.Client.Elsewhere = "context desktop-linux"
			},
			want: []string{"debootstrap warning"}, advice: "on Debian or Ubuntu",
		},
		{
			name: "capability missing, stock runc",
			change: func(f *facts) {
				f.Systemd, f.Missing = false, []string{"CAP_SYS_RESOURCE"}
				f.Engine.Privileged, f.Engine.Cause = fails, "unable to apply caps: operation not permitted"
			},
			want:  []string{"privileged containers missing", "capabilities warning"},
			found: "fail: unable to apply caps", advice: "stop this engine so that",
		},
		{
			name: "capability missing, engine of systemd",
			change: func(f *facts) {
				f.Missing = []string{"CAP_SYS_RESOURCE"}
				f.Engine.Privileged, f.Engine.Cause = fails, "unable to apply caps: operation not permitted"
			},
			want:   []string{"privileged containers missing", "capabilities warning"},
			advice: "in the engine's configuration",
		},
		{
			name: "capability missing, our runtime",
			change: func(f *facts) {
				f.Missing, f.Engine.Runtime = []string{"CAP_SYS_RESOURCE"}, runtimeName
			},
		},
		{
			name: "our runtime was deleted", fixable: true,
			change: func(f *facts) {
				f.Engine.Runtime, f.Engine.Privileged, f.Engine.Cause = runtimeName, fails, "no such file or directory"
			},
			want: []string{"privileged containers missing"}, advice: "installs dratest-oci-runtime anew",
		},
		{
			name: "userns-remap",
			change: func(f *facts) {
				f.Engine.Privileged, f.Engine.Cause = fails, "privileged mode is incompatible with user namespaces"
			},
			want: []string{"privileged containers missing"}, advice: "without userns-remap",
		},
		{
			name: "a plugin forbids it",
			change: func(f *facts) {
				f.Engine.Privileged, f.Engine.Cause = fails, "authorization denied by plugin opa"
			},
			want: []string{"privileged containers missing"}, found: "plugin opa", advice: "dratest changes no engine",
		},
		{
			name: "unknown architecture", change: func(f *facts) { f.Engine.Privileged, f.Engine.Arch = untried, "riscv64" },
			want: []string{"privileged containers warning"}, found: "riscv64", advice: "docker run --privileged",
		},
		{name: "cgroup v1", change: func(f *facts) { f.Engine.Cgroup = 1 }},
		{
			name: "no cgroups", change: func(f *facts) { f.Engine.Cgroup, f.Cgroup = 0, 0 },
			want: []string{"cgroup missing"}, advice: "cgroupfs-mount",
		},
		{
			name: "disk too small to build", change: func(f *facts) { f.Disks[0].Free = 14 * gib },
			want: []string{"disk missing"}, found: "14 GiB free in /var/lib/docker", advice: "make 15 GiB free",
		},
		{
			name: "small disk, images are built", change: func(f *facts) { f.Disks[0].Free, f.Built = 14*gib, true },
			want: []string{"disk warning"}, advice: "enough to run",
		},
		{
			name: "disk full, images are built", change: func(f *facts) { f.Disks[0].Free, f.Built = 3*gib+gib/2, true },
			want: []string{"disk missing"}, found: "3.5 GiB", advice: "make 4 GiB free",
		},
		{
			name: "one of two disks too small", change: func(f *facts) { f.Disks = append(f.Disks, disk{"/home/u/.cache/dratest", gib}) },
			want: []string{"disk missing"}, advice: "free in /home/u/.cache/dratest (",
		},
		{name: "disk unknown", change: func(f *facts) { f.Disks = nil }, want: []string{"disk warning"}, found: "unknown"},
		{name: "little memory", change: func(f *facts) { f.Memory = 5 * gib }, want: []string{"memory warning"}, advice: "need 6 GiB"},
		{name: "too little memory", change: func(f *facts) { f.Memory = 3 * gib }, want: []string{"memory missing"}, found: "3 GiB"},
		{name: "no Go", change: func(f *facts) { f.Go = "" }, want: []string{"go warning"}, advice: "go.dev/dl"},
		{name: "old Go", change: func(f *facts) { f.Go = "1.9.7" }, want: []string{"go warning"}, found: "1.9.7", advice: "1.26 or newer"},
		{name: "Go of tomorrow", change: func(f *facts) { f.Go = "1.30rc1" }},
		{
			name: "no debootstrap, images are built", change: func(f *facts) { f.Debootstrap, f.Built = "", true }, fixable: true,
			want: []string{"debootstrap warning"}, advice: "installs it",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows := judge(machine(test.change))
			var got []string
			var first Row
			for _, row := range rows {
				if row.State != OK {
					got = append(got, row.Name+" "+string(row.State))
					if first.Name == "" {
						first = row
					}
				}
			}
			if strings.Join(got, ", ") != strings.Join(test.want, ", ") {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if !strings.Contains(first.Found, test.found) || !strings.Contains(first.Advice, test.advice) || first.Fixable != test.fixable {
				t.Errorf("got %+v, want found %q, advice %q, fixable %v", first, test.found, test.advice, test.fixable)
			}
		})
	}
}

func TestProblem(t *testing.T) {
	if err := Problem(judge(machine(func(*facts) {}))); err != nil {
		t.Errorf("a machine with everything: %v", err)
	}
	err := Problem(judge(machine(func(f *facts) { bare(f); f.Root = false })))
	want := `environment: engine: none (as root: apt-get install docker.io, or "sudo dratest doctor --fix")`
	if !errors.Is(err, clusters.ErrEnvironment) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
