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

package command_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters/command"
)

func TestRunReturnsOutput(t *testing.T) {
	got, err := command.Run(t.Context(), command.Cmd{
		Args: []string{"sh", "-c", "cat; echo $X; pwd"}, Dir: "/", Env: []string{"X=y"}, Stdin: strings.NewReader("in\n"),
	})
	if err != nil || got != "in\ny\n/" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestFailureNamesProgramAndItsLastLines(t *testing.T) {
	_, err := command.Run(t.Context(), command.Cmd{Args: []string{"sh", "-c", "seq 1 9 >&2; exit 3"}})
	var failed *command.Error
	if !errors.As(err, &failed) {
		t.Fatalf("got %v", err)
	}
	if got := err.Error(); !strings.HasPrefix(got, "sh: exit status 3: 4\n") || !strings.HasSuffix(got, "9") {
		t.Errorf("got %q", got)
	}
}

func TestFullDiskIsRecognised(t *testing.T) {
	_, err := command.Run(t.Context(), command.Cmd{Args: []string{"sh", "-c", "echo write: no space left on device >&2; exit 1"}})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
}

func TestMissingProgram(t *testing.T) {
	_, err := command.Run(t.Context(), command.Cmd{Args: []string{"dratest-no-such-program"}})
	if !command.NotFound(err) {
		t.Errorf("got %v", err)
	}
}

func TestCancelEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	pidFile := t.TempDir() + "/pid"
	start := time.Now()
	_, err := command.Run(ctx, command.Cmd{Args: []string{"sh", "-c", "sleep 60 & echo $! > " + pidFile + "; wait"}})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	// The child may be a zombie of init for a moment; a running one has a command line.
	if line, err := os.ReadFile("/proc/" + strings.TrimSpace(string(raw)) + "/cmdline"); err == nil && len(line) > 0 {
		t.Errorf("child still runs: %q", line)
	}
}
