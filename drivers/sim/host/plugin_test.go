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

package host

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/drivers/nodefiles/registrationtest"
)

// beDriver makes this program a driver in another process, with its sockets in a directory.
const beDriver = "DRATEST_BE_DRIVER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(beDriver); dir != "" {
		registrationtest.Serve(dir, "d")
		_, _ = os.Stdout.WriteString("ready\n")
		select {}
	}
	os.Exit(m.Run())
}

func TestKillPlugin(t *testing.T) {
	dir := t.TempDir()
	driver := exec.CommandContext(t.Context(), os.Args[0])
	driver.Env = append(os.Environ(), beDriver+"="+dir)
	out, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if err := KillPlugin(t.Context(), dir, "/", "other"); err == nil || !strings.Contains(err.Error(), "found sockets of [d]") {
		t.Errorf("a driver that is not there: %v", err)
	}
	if err := KillPlugin(t.Context(), dir, "/", "d"); err != nil {
		t.Fatal(err)
	}
	if err := driver.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the driver ended with %v", err)
	}
	if _, err := DialPlugin(t.Context(), dir, "/", "d"); err == nil {
		t.Error("the dead driver answers")
	}
}

func TestOwnProcessIsNotKilled(t *testing.T) {
	dir := t.TempDir()
	registrationtest.Serve(dir, "me")
	if err := KillPlugin(t.Context(), dir, "/", "me"); err == nil || !strings.Contains(err.Error(), "it is this process") {
		t.Errorf("got %v", err)
	}
}
