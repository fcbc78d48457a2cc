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

package nodefiles_test

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/drivers/nodefiles"
	"github.com/dra-conformance/dratest/drivers/nodefiles/registrationtest"
)

// TestRegister: a restarted driver with the same socket is registered again, and another plugin never.
func TestRegister(t *testing.T) {
	dir := t.TempDir()
	others, stop := registrationtest.Await(filepath.Join(dir, "a.sock"), "other", filepath.Join(dir, "other.sock"))
	defer stop()
	go nodefiles.Register(t.Context(), dir, "d")
	for range 2 {
		registered, stop := registrationtest.Await(filepath.Join(dir, "d.sock"), "d", filepath.Join(dir, "dra.sock"))
		if !<-registered {
			t.Error("the driver is refused")
		}
		stop()
	}
	if len(others) > 0 {
		t.Error("another plugin is notified")
	}
}

func TestSockets(t *testing.T) {
	dir := t.TempDir()
	registrationtest.Serve(dir, "good")
	registrationtest.Register(filepath.Join(dir, "lost.sock"), "lost", "/no/such/root/dra.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "dead.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	sockets, err := nodefiles.Sockets(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range sockets {
		text := s.Driver
		if s.Dead {
			text += " dead"
		}
		if s.Driver != "" && s.Problem != "" {
			text += " unusable"
		}
		got[filepath.Base(s.Path)] = text
	}
	want := map[string]string{"good-reg.sock": "good", "good.plugin": "", "lost.sock": "lost unusable", "dead.sock": " dead"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
