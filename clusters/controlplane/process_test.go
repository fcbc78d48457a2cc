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

package controlplane

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestProcess(t *testing.T) {
	dir := t.TempDir()
	p, exited, err := machine{}.Start(command{name: "sleep", path: "/bin/sleep", args: []string{"100"}}, dir, filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if !(machine{}).Alive(p) {
		t.Error("it does not run")
	}
	if c, err := (machine{}).Command(p); err != nil || c.name != "sleep" || c.path != "/bin/sleep" || len(c.args) != 1 || c.args[0] != "100" {
		t.Errorf("it was started with %+v, %v", c, err)
	}
	if err := (machine{}).Kill(p); err != nil {
		t.Error(err)
	}
	<-exited
	if c, err := (machine{}).Command(p); err == nil {
		t.Errorf("it has ended, and was started with %+v", c)
	}
	if (machine{}).Alive(p) {
		t.Error("it runs after it was killed")
	}
	if err := (machine{}).Kill(p); err != nil {
		t.Errorf("kill what has ended: %v", err)
	}
}

func TestProcessesOfADirectory(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	start := func(dir string) process {
		p, exited, err := machine{}.Start(command{name: "sleep", path: "/bin/sleep", args: []string{"100"}}, dir, filepath.Join(dir, "log"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := (machine{}).Kill(p); err != nil {
				t.Error(err)
			}
			<-exited
		})
		return p
	}
	mine := start(dir)
	start(other)
	// The user's shell in the directory has another HOME.
	shell := exec.CommandContext(t.Context(), "/bin/sleep", "100")
	shell.Dir, shell.Env = dir, []string{"HOME=" + other}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(shell.Process.Kill(), shell.Wait()) })
	through := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, through); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, through} {
		// Between fork and exec, the process still has the environment of this one.
		for found := []process(nil); len(found) == 0; {
			var err error
			if found, err = (machine{}).In(dir); err != nil || len(found) > 1 || len(found) == 1 && found[0].PID != mine.PID {
				t.Fatalf("found %v, %v, want %v", found, err, mine)
			}
		}
	}
	if found, err := (machine{}).In(filepath.Join(dir, "gone")); err != nil || len(found) > 0 {
		t.Errorf("a directory that is gone has %v, %v", found, err)
	}
}

// The PID of an exited process is reused by this test: a mistake would kill it.
func TestProcessOfTheSameNumberIsLeftAlone(t *testing.T) {
	self, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]process{
		"started earlier": {PID: self.PID, Started: self.Started - 1, Boot: self.Boot},
		"another boot":    {PID: self.PID, Started: self.Started, Boot: "x"},
	} {
		if (machine{}).Alive(other) {
			t.Errorf("%s: taken for this process", name)
		}
		if err := (machine{}).Kill(other); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStartOf(t *testing.T) {
	const rest = " 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0"
	if got, err := startOf([]byte("12 (a (b) c) S" + rest)); err != nil || got != 4711 {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := startOf([]byte("12 (a) Z" + rest)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a process that is only waited for: %v", err)
	}
	if _, err := startOf([]byte("12 (a) S 1")); err == nil {
		t.Error("no error for what is no stat file")
	}
}

func TestPortIsFree(t *testing.T) {
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if (machine{}).Free(t.Context(), port) {
		t.Error("it is free although somebody listens")
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if !(machine{}).Free(t.Context(), port) {
		t.Error("it is taken although nobody listens")
	}
}
