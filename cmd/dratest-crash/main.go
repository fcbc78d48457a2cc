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

// Command dratest-crash becomes a kubelet whose log goes through a second process of
// this program, which kills it when a line says that it has come to a given point:
//
//	dratest-crash DIRECTORY CHECKPOINT PROGRAM [ARGUMENT...]
//
// The point is the content of the file "order" in the directory; it is gone when the
// file "death" is there, which says what was left of the kubelet (crash.Death).
//
// The pipe in between holds one line: until that is read, the kubelet waits with its
// next one. So it gets at most two lines ahead of its death. Where that would be enough
// to save its checkpoint too early, the checkpoint is held (hold.go).
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

// run returns only if this process reads the log, or the program could not be started.
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
	// One that a reader left that was killed itself would be waited for for ever.
	removePipe(held(args[1]))
	reader, writer, err := pipe()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// It ends with the log.
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

// pipe is one in which each write is a packet, and which has room for one.
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
