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

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// grace is the time between SIGTERM and SIGKILL for a cancelled program.
const grace = 10 * time.Second

// kept is how many bytes of a program's error output end up in the error.
const kept = 8 << 10

// Cmd is a program call. Args holds the program and its arguments; the rest is optional.
type Cmd struct {
	Args []string
	Dir  string
	// Env is added to the environment of this process.
	Env   []string
	Stdin io.Reader
	// Stdout gets the standard output instead of Run's result.
	Stdout io.Writer
	// Contained kills the children that the program leaves.
	Contained bool
}

// Run runs a program and returns its standard output without the final newline. A failed program gives an *Error.
// When ctx ends, the program and its children are terminated, then killed, and the error wraps ctx's.
func Run(ctx context.Context, c Cmd) (string, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Stdin = c.Dir, c.Stdin
	if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	var stdout bytes.Buffer
	stderr := &tail{max: kept}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	// A separate process group: Ctrl-C in the terminal reaches the program only through ctx, and children
	// do not survive it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err := cmd.Run()
	if c.Contained && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil // only its children had the output open
		}
	}
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		return "", fmt.Errorf("%s: %w", c.name(), context.Cause(ctx))
	}
	if err != nil {
		output := stderr.String()
		if output == "" {
			output = lastBytes(stdout.String(), kept)
		}
		return "", &Error{Args: c.Args, Output: strings.TrimSpace(output), Err: err}
	}
	return strings.TrimRight(stdout.String(), "\n"), nil
}

// name is the program with its subcommand, the prefix of errors.
func (c Cmd) name() string { return shortName(c.Args) }

// Error is a program that failed or could not be run.
type Error struct {
	Args []string
	// Output is the end of the program's standard error, or of its standard output if that is empty.
	Output string
	Err    error
}

// Error names the program, its subcommand and the last lines of its output.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", shortName(e.Args), e.Err)
	if e.Output == "" {
		return text
	}
	lines := strings.Split(e.Output, "\n")
	if len(lines) > 6 {
		lines = lines[len(lines)-6:]
	}
	return text + ": " + strings.Join(lines, "\n  ")
}

// Unwrap returns the cause; a full disk in the program's output is ENOSPC too.
func (e *Error) Unwrap() []error {
	causes := []error{e.Err}
	if strings.Contains(e.Output, syscall.ENOSPC.Error()) {
		causes = append(causes, syscall.ENOSPC)
	}
	return causes
}

// NotFound reports whether err means the program is not installed.
func NotFound(err error) bool { return errors.Is(err, exec.ErrNotFound) }

func shortName(args []string) string {
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") && !strings.Contains(args[1], "/") {
		return args[0] + " " + args[1]
	}
	return args[0]
}

// tail keeps the last max bytes written to it.
type tail struct {
	max int
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*t.max {
		t.buf = append([]byte(nil), t.buf[len(t.buf)-t.max:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return lastBytes(string(t.buf), t.max) }

func lastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
