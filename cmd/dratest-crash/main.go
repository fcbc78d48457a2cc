//go:build linux

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

// Command dratest-crash starts a kubelet with its log piped through a second process of this program.
// This process kills the kubelet at a log line of the given crash point:
//
//	dratest-crash DIRECTORY CHECKPOINT PROGRAM [ARGUMENT...]
//
// The file "order" in the directory contains the crash point. After the crash it is replaced by the
// file "death", the state left behind (crash.Death).
//
// The pipe has room for one line, so that a kubelet logs at most two lines after its crash point
// before it is killed. Where this is enough to save the checkpoint too early, saving is blocked
// (hold.go).
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "dratest-crash: %v\n", err)
		os.Exit(1)
	}
}

// watchFlag is the first argument of the process that reads the log.
const watchFlag = "--watch"

// run returns only in the process reading the log, or if the program failed to start.
func run(args []string) error {
	if len(args) == 4 && args[0] == watchFlag {
		pid, err := strconv.Atoi(args[1])
		if err != nil {
			return fmt.Errorf("read the process ID: %w", err)
		}
		w := &watcher{dir: args[2], checkpoint: args[3], kill: func() error { return syscall.Kill(pid, syscall.SIGKILL) }}
		return w.run(os.Stdin, os.Stderr)
	}
	if len(args) < 3 {
		return fmt.Errorf("got %d arguments, want at least 3", len(args))
	}
	// A reader killed with its kubelet leaves a pipe to block on forever.
	removePipe(held(args[1]))
	reader, writer, err := pipe()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// The reader exits at the end of the log.
	watch := exec.Command(self, watchFlag, strconv.Itoa(os.Getpid()), args[0], args[1]) //nolint:noctx // it outlives this program
	watch.Stdin, watch.Stderr = reader, os.Stderr
	watch.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := watch.Start(); err != nil {
		return fmt.Errorf("start the reader of the log: %w", err)
	}
	if err := unix.Dup3(int(writer.Fd()), 2, 0); err != nil {
		return fmt.Errorf("redirect the log: %w", err)
	}
	if err := syscall.Exec(args[2], args[2:], os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", args[2], err)
	}
	return nil
}

// pipe returns a packet-mode pipe with room for one packet.
func pipe() (reader, writer *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_DIRECT|unix.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	if _, err := unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, os.Getpagesize()); err != nil {
		return nil, nil, fmt.Errorf("make the pipe small: %w", err)
	}
	return os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "writer"), nil
}
