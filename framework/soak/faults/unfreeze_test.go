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

package faults_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
)

// here runs the nodes' commands on this machine, with another directory for cgroups and no delay.
type here string

func (h here) Run(ctx context.Context, args ...string) (string, error) {
	args = slices.Concat(args[2:len(args)-2], []string{string(h), "0"})
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	return string(out), err
}

// A kubelet died in the middle of RunPodSandbox, containerd killed its runc, and runc had frozen the new container:
// SIGKILL had no effect, and the pod was Terminating for ever.
func TestFrozenContainersAreUnfrozen(t *testing.T) {
	dir := t.TempDir()
	write := func(cgroup, state string) string {
		t.Helper()
		file := filepath.Join(dir, cgroup, "freezer.state")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(state+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("kubelet/pod1/a", "THAWED")
	frozen := write("kubelet/pod1/b", "FROZEN")

	found, err := faults.UnfreezeContainers{Engine: here(dir)}.Do(t.Context(), soak.Target{Workers: []string{"w1"}})
	if err != nil || len(found) != 1 || found[0].Rule != audit.Frozen || !found[0].Rule.Warning() ||
		!strings.Contains(found[0].Text, "node w1 were frozen in cgroup kubelet/pod1/b;") {
		t.Fatalf("got %v, %v", found, err)
	}
	if state, err := os.ReadFile(frozen); err != nil || string(state) != "THAWED\n" {
		t.Errorf("the cgroup has %q, %v", state, err)
	}
	found, err = faults.UnfreezeContainers{Engine: here(dir)}.Do(t.Context(), soak.Target{Workers: []string{"w1", "w2"}})
	if err != nil || len(found) > 0 {
		t.Errorf("the second time got %v, %v", found, err)
	}
	found, err = faults.UnfreezeContainers{Engine: here(dir + "/nowhere")}.Do(t.Context(), soak.Target{Workers: []string{"w1"}})
	if err != nil || len(found) > 0 {
		t.Errorf("without cgroup v1 got %v, %v", found, err)
	}
}
