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

package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// process identifies a process uniquely: PIDs are reused, but not with the same start time in the same boot.
type process struct {
	Name string `json:"name"`
	PID  int    `json:"pid"`
	// Started is when, in clock ticks since the boot.
	Started uint64 `json:"started"`
	// Boot is the kernel's name for the boot.
	Boot string `json:"boot"`
}

// host is this machine.
type host interface {
	processes

	// Free reports whether a loopback port is free.
	Free(ctx context.Context, port int) bool
}

// processes starts and ends processes.
type processes interface {
	// Start starts a program outliving this process; exited is closed if it exits earlier.
	Start(c command, dir, log string) (p process, exited <-chan struct{}, err error)
	// In returns the processes that Start started in a directory, recorded or not.
	In(dir string) ([]process, error)
	// Alive reports whether exactly this process runs.
	Alive(p process) bool
	// Command returns the command line of a running process, without its health URL.
	Command(p process) (command, error)
	// Kill kills a process if it is still the same one.
	Kill(p process) error
}

type machine struct{}

// Start starts the program in its own session, so Ctrl-C and the end of the terminal do not reach it.
func (machine) Start(c command, dir, log string) (process, <-chan struct{}, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return process{}, nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(c.path, c.args...) //nolint:noctx // it outlives every context
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	// Ignore the user's configuration; kwok reads a file in HOME.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return process{}, nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	exited := make(chan struct{})
	p, err := identify(cmd.Process.Pid)
	if err != nil {
		err = errors.Join(fmt.Errorf("start %s: find out which process it is: %w", c.name, err), cmd.Process.Kill())
	}
	go func() {
		_ = cmd.Wait() // see its log
		close(exited)
	}()
	p.Name = c.name
	return p, exited, err
}

// Alive is false for a zombie.
func (machine) Alive(p process) bool {
	now, err := identify(p.PID)
	now.Name = p.Name
	return err == nil && now == p
}

// Free tries it.
func (machine) Free(ctx context.Context, port int) bool {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

// Command reads the command line of the process (man 5 proc).
func (m machine) Command(p process) (command, error) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/cmdline")
	if err != nil {
		return command{}, fmt.Errorf("read what %s was started with: %w", p.Name, err)
	}
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	if !m.Alive(p) { // the line may be another process's
		return command{}, fmt.Errorf("%s does not run", p.Name)
	}
	return command{name: p.Name, path: args[0], args: args[1:]}, nil
}

// Kill opens a pidfd (os.FindProcess on Linux) before it checks the identity, so the PID cannot be reused in between.
func (m machine) Kill(p process) error {
	found, err := os.FindProcess(p.PID)
	if err != nil {
		return fmt.Errorf("find process %d (%s): %w", p.PID, p.Name, err)
	}
	defer func() { _ = found.Release() }()
	if !m.Alive(p) {
		return nil
	}
	if err := found.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end process %d (%s): %w", p.PID, p.Name, err)
	}
	return nil
}

// identify returns the identity of the process with a PID, or fs.ErrNotExist if none is running.
func identify(pid int) (process, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, syscall.ESRCH) {
		return process{}, fs.ErrNotExist
	}
	if err != nil {
		return process{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return process{}, err
	}
	started, err := startOf(stat)
	return process{PID: pid, Started: started, Boot: strings.TrimSpace(string(boot))}, err
}

// startOf reads a process's start time from its stat file (man 5 proc): the name in parentheses may contain spaces
// and parentheses, so fields are counted after it.
func startOf(stat []byte) (uint64, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, start = 3, 22 // as man 5 proc counts; the first field here is the third
	if len(fields) <= start-state {
		return 0, fmt.Errorf("the stat file %q has too few fields", stat)
	}
	if s := string(fields[0]); s == "Z" || s == "X" {
		return 0, fs.ErrNotExist
	}
	return strconv.ParseUint(string(fields[start-state]), 10, 64)
}
