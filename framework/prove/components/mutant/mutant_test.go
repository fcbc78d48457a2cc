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

package mutant

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asProgram makes the test binary a program with mutants, printing the active one.
const asProgram = "DRATEST_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "crash" {
		panic("as it is to")
	}
	if os.Getenv(asProgram) != "" {
		fmt.Println(active, On("second"), os.Getenv(variable))
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until the test closes it
		return
	}
	os.Exit(m.Run())
}

func TestStartsAnewWithAnotherMutant(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	turn := func(mutant string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, file), []byte(mutant), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := exec.CommandContext(t.Context(), self)
	program.Dir, program.Env = dir, append(os.Environ(), asProgram+"=yes", variable+"=old")
	stop, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	turn("first")
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	message := bufio.NewScanner(out)
	for _, want := range []string{"first false old", "second true second", " false "} {
		if !message.Scan() || message.Text() != want {
			t.Fatalf("it says %q instead of %q: %v", message.Text(), want, message.Err())
		}
		turn(map[string]string{"first false old": "second"}[want])
		if want != " false " {
			if err := program.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := stop.Close(); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
}

func TestIsToldByItsEnvironmentWithoutAFile(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), self)
	program.Dir, program.Env = t.TempDir(), append(os.Environ(), asProgram+"=yes", variable+"=second")
	if out, err := program.Output(); err != nil || string(out) != "second true second\n" {
		t.Errorf("it says %q: %v", out, err)
	}
}

// A crash of a program started by a case looked like a detection by the case.
func TestSaysInAFileThatItCrashes(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(t.TempDir(), "crash")
	if err := os.WriteFile(said, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), self)
	program.Env = append(os.Environ(), asProgram+"=crash", crashVariable+"="+said)
	if err := program.Run(); err == nil {
		t.Error("it does not crash")
	}
	text, err := os.ReadFile(said)
	if err != nil || !strings.Contains(string(text), "as it is to") {
		t.Errorf("it says %q: %v", text, err)
	}
}
