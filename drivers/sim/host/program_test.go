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

package host_test

import (
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/drivers/sim/host"
)

func TestProgramDigest(t *testing.T) {
	dir, err := os.MkdirTemp("", "host") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	if _, err := host.ProgramDigest(t.Context(), socket, "/proc"); err == nil {
		t.Error("no error without a listener")
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}

	got, err := host.ProgramDigest(t.Context(), socket, "/proc")

	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(program)); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := host.ProgramDigest(t.Context(), socket, dir); err == nil {
		t.Error("no error without the process's program")
	}
}
