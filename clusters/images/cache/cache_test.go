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

package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters"
	"github.com/dra-conformance/dratest/clusters/images/cache"
	"github.com/dra-conformance/dratest/clusters/progress"
)

func open(t *testing.T) cache.Cache {
	t.Helper()
	c, err := cache.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOpenFindsItsFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("DRATEST_CACHE", filepath.Join(dir, "a"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "xdg"))
	for given, want := range map[string]string{"": "a", filepath.Join(dir, "b"): "b"} {
		if c, err := cache.Open(given); err != nil || c.Dir != filepath.Join(dir, want) {
			t.Errorf("Open(%q) = %v, %v", given, c, err)
		}
	}
	t.Setenv("DRATEST_CACHE", "")
	if c, err := cache.Open(""); err != nil || !strings.HasSuffix(c.Dir, "/dratest") {
		t.Errorf("without a setting: %v, %v", c, err)
	}
}

// After a power failure, the cache had an empty etcd and a truncated kube-scheduler. Each new cluster failed with "exec
// format error", without naming the files to remove.
func TestDamagedProgramCountsAsMissing(t *testing.T) {
	whole, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	for name, content := range map[string][]byte{"whole": whole, "script": []byte("#!/bin/sh\n"), "empty": nil, "half": whole[:len(whole)/2], "almost": whole[:len(whole)-100_000], "zeros": make([]byte, 4096)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, want := cache.HasProgram(path), name == "whole" || name == "script"; got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	if cache.HasProgram(path + "x") {
		t.Error("there is a program that is missing")
	}
}

func TestPublishAndCleanTemp(t *testing.T) {
	c := open(t)
	dir, err := c.Temp("x-")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"done", "unfinished"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Publish(filepath.Join(dir, "done"), c.Path("bin", "key", "done")); err != nil {
		t.Fatal(err)
	}
	if err := c.CleanTemp(); err != nil {
		t.Fatal(err)
	}
	if !cache.Exists(c.Path("bin", "key", "done")) || cache.Exists(dir) {
		t.Error("the result is gone, or the rest is not")
	}
}

func TestLockWaitsForItsHolder(t *testing.T) {
	c := open(t)
	unlock, err := c.Lock(t.Context(), &progress.Printer{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var out strings.Builder
	if _, err := c.Lock(ctx, progress.New(&out)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second holder: %v", err)
	}
	if !strings.Contains(out.String(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("does not say who holds the lock: %q", out.String())
	}
	unlock()
	unlock, err = c.Lock(t.Context(), &progress.Printer{})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestNeedSpace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "made", "yet")
	if err := cache.NeedSpace(dir, 1, "write a byte"); err != nil {
		t.Errorf("a byte: %v", err)
	}
	err := cache.NeedSpace(dir, 1<<60, "build the moon")
	if !errors.Is(err, clusters.ErrEnvironment) || !strings.Contains(err.Error(), "build the moon") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}

func TestExplainFullDisk(t *testing.T) {
	other := errors.New("other")
	if err := cache.Explain(other, "/", 1, "x"); !errors.Is(err, other) || errors.Is(err, clusters.ErrEnvironment) {
		t.Errorf("another error was changed: %v", err)
	}
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	err := cache.Explain(full, t.TempDir(), cache.GiB, "build x")
	if !errors.Is(err, clusters.ErrEnvironment) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "it resumes") {
		t.Errorf("got %v", err)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 900: "900 B", 5 << 20: "5 MiB", 3 << 29: "1.5 GiB"} {
		if got := cache.Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
