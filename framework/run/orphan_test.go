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

package run_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// TestParentProcess is not a test of its own: it is the parent killed by the test below.
func TestParentProcess(t *testing.T) {
	dir := os.Getenv("FAKE_PARENT")
	if dir == "" {
		return
	}
	_, err := run.Run(t.Context(), parts(), run.Options{
		Config: testbed.Config{Kubeconfig: os.Getenv("FAKE_KUBECONFIG"), ReportDir: dir}, Parallel: 2, Filter: plan.Filter{Focus: []string{"^fake/hangs"}},
	})
	t.Fatalf("run ended by itself: %v", err)
}

// A killed parent cannot forward anything; its cases must clean up all the same.
func TestCasesCleanUpWhenTheParentIsKilled(t *testing.T) {
	kubeconfig, _ := apiServer(t)
	dir := t.TempDir()
	marker := filepath.Join(t.TempDir(), "cleaned")
	tmp := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestParentProcess$")
	cmd.Env = append(os.Environ(), "FAKE_PARENT="+dir, "FAKE_KUBECONFIG="+kubeconfig, "FAKE_MARKER="+marker, "TMPDIR="+tmp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started := make(chan os.Signal, 1)
	signalWhenRunning(t, run.Options{Config: testbed.Config{ReportDir: dir}}, started, 1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			left, _ := os.ReadDir(tmp)
			if data, _ := os.ReadFile(marker); string(data) == "x" && len(left) == 0 {
				return
			}
		case <-deadline.C:
			t.Fatal("the case did not clean up, or files are left")
		}
	}
}
