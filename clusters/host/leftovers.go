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
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// daemon is a dockerd of this machine and its runtime files.
type daemon struct {
	Program string
	Args    []string
	Socket  string
	PIDFile string
	// ExecRoot contains, among others, the state of dockerd's containerd.
	ExecRoot string
	// SharedContainerd is the socket of a machine-wide containerd. dockerd uses it as soon as the file exists.
	SharedContainerd string
	Log              string
	proc             string
}

// theDaemon is the docker client's default dockerd.
func theDaemon() daemon {
	return daemon{
		Program:          found("dockerd"),
		Socket:           "/var/run/docker.sock",
		PIDFile:          "/var/run/docker.pid",
		ExecRoot:         "/var/run/docker",
		SharedContainerd: "/run/containerd/containerd.sock",
		Log:              filepath.Join(stateDir, "dockerd.log"),
		proc:             "/proc",
	}
}

// running returns the process in the pid file if it is a dockerd, else 0: the PID may have been reused.
func (d daemon) running() int {
	pid := readPID(d.PIDFile)
	if pid == 0 || d.command(pid) != "dockerd" {
		return 0
	}
	return pid
}

// clearLeftovers removes leftovers of a killed dockerd that prevent a restart. It must not be called while
// dockerd runs:
//   - dockerd mistakes any process with the PID in its pid file for itself;
//   - it mistakes any process with the PID in containerd's pid file for containerd and waits in vain;
//   - an orphaned containerd holds the lock of the data needed by the next containerd;
//   - with a stale socket of a machine-wide containerd it waits in vain;
//   - if a container mounted the missing socket, Docker created an empty directory in its place.
func (d daemon) clearLeftovers(ctx context.Context) error {
	if err := d.endContainerd(ctx); err != nil {
		return err
	}
	dir := filepath.Join(d.ExecRoot, "containerd")
	files := []string{d.PIDFile, filepath.Join(dir, "containerd.pid")}
	for _, socket := range []string{d.Socket, d.SharedContainerd, filepath.Join(dir, "containerd.sock"),
		filepath.Join(dir, "containerd.sock.ttrpc"), filepath.Join(dir, "containerd-debug.sock")} {
		if socket != "" && exists(socket) && !answers(ctx, socket) {
			files = append(files, socket)
		}
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove what a killed engine left behind: %w", err)
		}
	}
	return nil
}

// endContainerd ends every containerd started by this dockerd. Containers are not its children; they keep running
// until dockerd handles them.
func (d daemon) endContainerd(ctx context.Context) error {
	for _, pid := range d.containerds() {
		if err := d.end(ctx, pid); err != nil {
			return fmt.Errorf("end the containerd of a killed engine: %w", err)
		}
	}
	return nil
}

// containerds finds them by the configuration file only dockerd writes.
func (d daemon) containerds() []int {
	entries, err := os.ReadDir(d.proc)
	if err != nil {
		return nil
	}
	config := filepath.Join(d.ExecRoot, "containerd", "containerd.toml")
	configs := []string{config, strings.TrimPrefix(config, "/var")} // /var/run is /run
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || d.command(pid) != "containerd" {
			continue
		}
		args, err := os.ReadFile(filepath.Join(d.proc, entry.Name(), "cmdline"))
		if err != nil {
			continue
		}
		for arg := range strings.SplitSeq(string(args), "\x00") {
			if slices.Contains(configs, arg) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// command returns the name of a process, "" if there is none or it is a zombie: zombies hold no resources, and in
// containers the init process often never reaps them.
func (d daemon) command(pid int) string {
	stat, err := os.ReadFile(filepath.Join(d.proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	// "12 (some name) S 1 …"; the name may hold parentheses itself.
	_, rest, _ := strings.Cut(string(stat), " (")
	end := strings.LastIndex(rest, ") ")
	if end < 0 || strings.HasPrefix(rest[end:], ") Z") || strings.HasPrefix(rest[end:], ") X") {
		return ""
	}
	return rest[:end]
}

// readPID returns 0 for a missing file or one without a number.
func readPID(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// answers reports whether a process accepts connections at a Unix socket.
func answers(ctx context.Context, socket string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	connection, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		// A full queue means it is alive, as does every error but these two.
		return !errors.Is(err, syscall.ECONNREFUSED) && !isDir(socket)
	}
	_ = connection.Close()
	return true
}

// end terminates a process and kills it after five seconds.
func (d daemon) end(ctx context.Context, pid int) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if err := syscall.Kill(pid, signal); errors.Is(err, syscall.ESRCH) {
			return nil
		} else if err != nil {
			return fmt.Errorf("send %s to process %d: %w", signal, pid, err)
		}
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-ticker.C:
			}
			if d.command(pid) == "" {
				return nil
			}
		}
	}
	return fmt.Errorf("process %d survives SIGKILL", pid)
}
