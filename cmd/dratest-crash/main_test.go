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

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/soak/crash"
)

// TestMain runs the command if the test starts itself.
func TestMain(m *testing.M) {
	if os.Getenv("DRATEST_CRASH_TEST") == "" {
		os.Exit(m.Run())
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	writing = `I1121 18:00:00 steps.go:62] "Writing checkpoint" claims=1`
	wrote   = `I1121 18:00:00 steps.go:70] "Wrote checkpoint" claims=1`
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func readDeath(t *testing.T, dir string) crash.Death {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "death"))
	if err != nil {
		t.Fatal(err)
	}
	var death crash.Death
	if err := json.Unmarshal(content, &death); err != nil {
		t.Fatal(err)
	}
	return death
}

// watched runs a watcher on log lines. Its kill changes the checkpoint before the next line.
func watched(t *testing.T, dir string, lines ...string) (log string, kills int) {
	t.Helper()
	checkpoint := filepath.Join(dir, "checkpoint")
	write(t, checkpoint, "old")
	reader, writer := io.Pipe()
	go func() {
		for _, line := range lines {
			_, _ = fmt.Fprintln(writer, line)
		}
		_ = writer.Close()
	}()
	w := &watcher{dir: dir, checkpoint: checkpoint, kill: func() error {
		kills++
		write(t, checkpoint, "new")
		return nil
	}}
	var out strings.Builder
	if err := w.run(reader, &out); err != nil {
		t.Fatal(err)
	}
	return out.String(), kills
}

func TestKillsAtTheLine(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "order"), "before-checkpoint\n")
	log, kills := watched(t, dir, "hello", writing, "between", wrote, writing)
	if want := strings.Join([]string{"hello", writing, "between", wrote, writing, ""}, "\n"); log != want || kills != 1 {
		t.Errorf("killed %d times, the log is\n%s", kills, log)
	}
	death := readDeath(t, dir)
	if death.Line != writing || len(death.After) != 2 || death.After[0] != wrote || !death.Saved {
		t.Errorf("got %+v", death)
	}
	if _, err := os.Stat(filepath.Join(dir, "order")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the order is still there: %v", err)
	}
}

func TestKillsNothingWithoutOrder(t *testing.T) {
	dir := t.TempDir()
	if _, kills := watched(t, dir, writing, wrote); kills != 0 {
		t.Errorf("killed %d times", kills)
	}
	if _, err := os.Stat(filepath.Join(dir, "death")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a death is told: %v", err)
	}
}

// After the driver call, its result cannot be saved before the kill.
func TestHoldsTheCheckpoint(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "order"), "after-prepare")
	pipes := 0
	w := &watcher{dir: dir, checkpoint: filepath.Join(dir, "checkpoint")}
	w.kill = func() error {
		if info, err := os.Lstat(held(w.checkpoint)); err == nil && info.Mode().Type() == os.ModeNamedPipe {
			pipes++
		}
		return nil
	}
	lines := `"Calling DRA driver" method="NodePrepareResources"` + "\n" + `"DRA driver has answered" method="NodePrepareResources"` + "\n"
	if err := w.run(strings.NewReader(lines), io.Discard); err != nil || pipes != 1 {
		t.Errorf("%d pipes when it was killed, %v", pipes, err)
	}
	if _, err := os.Lstat(held(w.checkpoint)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the pipe is still there: %v", err)
	}
}

// A real program is killed at most two lines after its crash point.
func TestProgramDies(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "order"), "before-checkpoint")
	// An earlier kubelet was killed together with its log reader.
	if err := syscall.Mkfifo(filepath.Join(dir, "none.tmp"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, dir, filepath.Join(dir, "none"), "/bin/sh", "-c",
		fmt.Sprintf("n=0; while :; do n=$((n+1)); echo '%s' $n >&2; echo '%s' $n >&2; done", writing, wrote))
	cmd.Env = append(os.Environ(), "DRATEST_CRASH_TEST=1")
	cmd.Stderr = &strings.Builder{} // Run waits for the log reader
	var failed *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("ended with %v", err)
	}
	if death := readDeath(t, dir); death.Line != writing+" 1" || len(death.After) > 2 {
		t.Errorf("got %+v", death)
	}
	if _, err := os.Lstat(filepath.Join(dir, "none.tmp")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the pipe is still there: %v", err)
	}
}
