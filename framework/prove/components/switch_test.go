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

package components

import (
	"context"
	"io"
	"os/exec"
	"testing"

	"github.com/dra-conformance/dratest/clusters"
)

// here is this machine as a node.
type here struct{ clusters.Machine }

func (here) String() string { return "here" }

func (here) Run(ctx context.Context, _ io.Reader, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).Output()
	return string(out), err
}

// only is a control plane with one program.
type only struct {
	ControlPlane
	name string
	pid  int
}

func (o only) Processes(string) (map[string]clusters.Process, error) {
	return map[string]clusters.Process{o.name: {ID: o.pid}}, nil
}

// start starts an idle program, stopped by end.
func start(t *testing.T, name string) (pid int, end func()) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read line")
	command.Args[0] = "/somewhere/" + name
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command.Process.Pid, func() {
		_ = input.Close()
		_ = command.Wait() // the end of its input is no success
	}
}

// Mutants crashing their component are detected by this.
func TestProcessesAreOthersAfterARestart(t *testing.T) {
	p := program{name: "dratest-test-program"}
	first, end := start(t, p.name)
	byPID := func(pid int) switcher { return asProcesses{control: only{name: p.name, pid: pid}} }
	look := func(s switcher) string {
		t.Helper()
		found, err := s.processes(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	nodes := onNodes{machines: []clusters.Machine{here{}}}
	before := look(nodes)
	if before == "" || before != look(nodes) || before != look(byPID(first)) {
		t.Errorf("a process that goes on: first %q, then %q, on a control plane %q", before, look(nodes), look(byPID(first)))
	}
	end()
	if gone := look(nodes) + look(byPID(first)); gone != "" {
		t.Errorf("after its end: %q", gone)
	}
	second, end := start(t, p.name)
	defer end()
	if after := look(nodes); after == "" || after == before || after != look(byPID(second)) {
		t.Errorf("before %q, started again %q", before, after)
	}
}
