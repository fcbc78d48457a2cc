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
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/clusters"
)

func TestNoClusterFlags(t *testing.T) {
	const socket = "unix:///k/plugins/gpu.example.com/dra.sock"
	for name, tc := range map[string]struct {
		flags sanityFlags
		says  string
	}{
		"all":                     {sanityFlags{noCluster: true, endpoint: socket, command: "gpu"}, ""},
		"no command":              {sanityFlags{noCluster: true, endpoint: socket}, "--command is missing"},
		"no endpoint":             {sanityFlags{noCluster: true, node: "n", driver: "d", command: "gpu"}, "must be unix:///ROOT/plugins/DRIVER/SOCKET"},
		"not a kubelet's layout":  {sanityFlags{noCluster: true, endpoint: "unix:///tmp/dra.sock", command: "gpu"}, "must be unix:///ROOT/plugins/DRIVER/SOCKET"},
		"a cluster all the same":  {sanityFlags{noCluster: true, endpoint: socket, command: "gpu", kubeconfig: "c"}, "leave --kubeconfig"},
		"a command for a cluster": {sanityFlags{endpoint: socket, command: "gpu", kubeconfig: "c"}, "needs --no-cluster"},
	} {
		err := tc.flags.complete()
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && (tc.flags.kubeletRoot != "/k" || tc.flags.driver != "gpu.example.com") {
			t.Errorf("%s: driver %s below %s", name, tc.flags.driver, tc.flags.kubeletRoot)
		}
	}
	t.Setenv(assets, "/assets")
	c := (&sanityFlags{noCluster: true}).config(nil).Cluster
	if c.Provider != clusters.ProviderControlPlane || c.Programs["kube-apiserver"] != "/assets/kube-apiserver" || len(c.Without) != 2 {
		t.Errorf("the control plane is %+v", c)
	}
}

func TestDriverProcess(t *testing.T) {
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, driverLog))
	if err != nil {
		t.Fatal(err)
	}
	ready := filepath.Join(dir, "ready")
	p := driverProcess{
		command: `sh -c 'trap "rm $READY; exit 3" TERM; echo $$ > $READY; while :; do read _ < $FIFO; done'`,
		env:     append(os.Environ(), "READY="+ready, "FIFO=/dev/null"), log: log, limit: time.Minute,
		answers: func(context.Context) bool {
			content, _ := os.ReadFile(ready)
			return len(content) > 0
		},
	}
	if err := p.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := readFile(t, ready)
	if err := p.restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second := readFile(t, ready); first == second {
		t.Error("the same process runs after a restart")
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ready); err == nil {
		t.Error("the driver was not ended with SIGTERM")
	}
	p.command = "echo no licence; exit 4"
	if err := p.start(t.Context()); exitCode(err) != codeEnvironment || !strings.Contains(err.Error(), driverLog) {
		t.Errorf("a driver that exits: %v", err)
	}
}

// A driver below a shell has ended when stop returns, and shells may set variables for it.
func TestDriverProcessChildren(t *testing.T) {
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, driverLog))
	if err != nil {
		t.Fatal(err)
	}
	ready, ended := filepath.Join(dir, "ready"), filepath.Join(dir, "ended")
	p := driverProcess{
		command: `CHILD=1 sh -c 'trap "sleep 0.3; rm $READY; : > $ENDED; exit" TERM; echo $CHILD > $READY; while :; do sleep 0.05; done'; exit 3`,
		env:     append(os.Environ(), "READY="+ready, "ENDED="+ended), log: log, limit: time.Minute,
		answers: func(context.Context) bool {
			content, _ := os.ReadFile(ready)
			return string(content) == "1\n"
		},
	}
	if err := p.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := p
	other.process = nil
	if err := other.start(t.Context()); exitCode(err) != codeEnvironment || !strings.Contains(err.Error(), "another process") {
		t.Errorf("while another one runs: %v", err)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ended); err != nil {
		t.Error("stop returned before the driver had ended")
	}
	p.command = `sh -c 'trap "" HUP; : > $ENDED; while :; do sleep 0.05; done' & while [ ! -e $ENDED ]; do sleep 0.01; done; echo $! > $READY`
	if err := os.Remove(ended); err != nil {
		t.Fatal(err)
	}
	if err := p.start(t.Context()); exitCode(err) != codeEnvironment {
		t.Errorf("a driver that exits: %v", err)
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(readFile(t, ready)) + "/stat")
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("its child runs: %s", stat)
	}
}
