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
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// fakeDaemon returns a daemon with its own directory and /proc.
func fakeDaemon(t *testing.T) daemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "dr") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := daemon{
		Socket: filepath.Join(dir, "docker.sock"), PIDFile: filepath.Join(dir, "docker.pid"), ExecRoot: filepath.Join(dir, "docker"),
		SharedContainerd: filepath.Join(dir, "containerd.sock"), proc: filepath.Join(dir, "proc"),
	}
	mkdir(t, filepath.Join(d.ExecRoot, "containerd"))
	mkdir(t, d.proc)
	return d
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func addProcess(t *testing.T, d daemon, pid int, name, state, cmdline string) {
	t.Helper()
	dir := filepath.Join(d.proc, strconv.Itoa(pid))
	write(t, filepath.Join(dir, "stat"), fmt.Sprintf("%d (%s) %s 1 2 3", pid, name, state))
	write(t, filepath.Join(dir, "cmdline"), cmdline)
}

// deadSocket makes a socket file without a listener.
func deadSocket(t *testing.T, path string) {
	t.Helper()
	listener := listen(t, path)
	listener.SetUnlinkOnClose(false)
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
}

func listen(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func TestRunning(t *testing.T) {
	tests := []struct {
		name, file, process, state string
		want                       int
	}{
		{"no pid file", "", "dockerd", "S", 0},
		{"running", "77\n", "dockerd", "S", 77},
		{"without a newline", "77", "dockerd", "R", 77},
		{"no such process", "78", "dockerd", "S", 0},
		{"number reused", "77", "bash", "S", 0},
		{"zombie that nobody collects", "77", "dockerd", "Z", 0},
		{"odd name", "77", "dockerd) Z (x", "S", 0},
		{"empty pid file", "\n", "dockerd", "S", 0},
		{"half written", "7x", "dockerd", "S", 0},
		{"negative would be a group", "-1", "dockerd", "S", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := fakeDaemon(t)
			addProcess(t, d, 77, test.process, test.state, "")
			if test.file != "" {
				write(t, d.PIDFile, test.file)
			}
			if got := d.running(); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestClearLeftovers(t *testing.T) {
	d := fakeDaemon(t)
	containerd := filepath.Join(d.ExecRoot, "containerd")
	write(t, d.PIDFile, "77")
	write(t, filepath.Join(containerd, "containerd.pid"), "78")
	deadSocket(t, d.Socket)
	deadSocket(t, d.SharedContainerd)
	deadSocket(t, filepath.Join(containerd, "containerd.sock"))
	write(t, filepath.Join(containerd, "containerd.toml"), "")

	if err := d.clearLeftovers(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{d.PIDFile, d.Socket, d.SharedContainerd, filepath.Join(containerd, "containerd.pid"), filepath.Join(containerd, "containerd.sock")} {
		if exists(gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	if !exists(filepath.Join(containerd, "containerd.toml")) {
		t.Error("removed what dockerd does not trip over")
	}
	if err := d.clearLeftovers(t.Context()); err != nil {
		t.Errorf("with nothing to clear: %v", err)
	}
}

func TestClearLeftoversKeepsLiveSockets(t *testing.T) {
	d := fakeDaemon(t)
	listener := listen(t, d.SharedContainerd)
	defer func() { _ = listener.Close() }()
	if err := d.clearLeftovers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !exists(d.SharedContainerd) {
		t.Error("removed the socket of a containerd that is alive")
	}
}

func TestClearLeftoversRemovesFolderInPlaceOfSocket(t *testing.T) {
	d := fakeDaemon(t)
	mkdir(t, d.Socket)
	if err := d.clearLeftovers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if exists(d.Socket) {
		t.Error("the directory is still there")
	}
}

func TestContainerds(t *testing.T) {
	d := fakeDaemon(t)
	d.ExecRoot = "/var/run/docker"
	ours := "containerd\x00--config\x00/var/run/docker/containerd/containerd.toml\x00--log-level\x00info\x00"
	addProcess(t, d, 10, "containerd", "S", ours)
	addProcess(t, d, 11, "containerd", "S", "containerd\x00--config\x00/run/docker/containerd/containerd.toml\x00")
	addProcess(t, d, 12, "containerd", "S", "/usr/local/bin/containerd\x00") // the machine's own, or a kind node's
	addProcess(t, d, 13, "containerd", "Z", ours)
	addProcess(t, d, 14, "vi", "S", "vi\x00/var/run/docker/containerd/containerd.toml\x00")
	got := d.containerds()
	slices.Sort(got)
	if want := []int{10, 11}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEnd(t *testing.T) {
	for _, script := range []string{"sleep 60", "trap '' TERM; while :; do sleep 1; done"} {
		t.Run(script, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			d := daemon{proc: "/proc"}
			if err := d.end(t.Context(), cmd.Process.Pid); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the process ended by itself")
			}
		})
	}
}
