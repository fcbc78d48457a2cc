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
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func TestExitProgram(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		file, err := elf.NewFile(bytes.NewReader(exitProgram(arch)))
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if file.Machine != machine || file.Type != elf.ET_EXEC || len(file.Progs) != 1 {
			t.Errorf("%s: got %+v", arch, file.FileHeader)
		}
	}
	if exitProgram("riscv64") != nil {
		t.Error("a program for an architecture without code")
	}
	if runtime.GOOS != "linux" {
		return
	}
	path := filepath.Join(t.TempDir(), "exit")
	if err := os.WriteFile(path, exitProgram(runtime.GOARCH), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exec.CommandContext(t.Context(), path).Run(); err != nil {
		t.Errorf("run the program: %v", err)
	}
}

func TestCause(t *testing.T) {
	tests := map[string]string{
		"docker: Error response from daemon: failed to create shim task: OCI runtime create failed: runc create failed: " +
			"unable to start container process: unable to apply caps: operation not permitted: unknown\n\nRun 'docker run --help' for more information": "unable to apply caps: operation not permitted",
		"docker: Error response from daemon: OCI runtime create failed: runc create failed: unable to start container process: " +
			"unable to apply caps: operation not permitted: unknown.": "unable to apply caps: operation not permitted",
		"docker: Error response from daemon: authorization denied by plugin opa.":   "authorization denied by plugin opa",
		"WARNING: no swap limit\ndocker: Error response from daemon: no space left": "no space left",
		"no answer within 15s": "no answer within 15s",
	}
	for message, want := range tests {
		if got := cause(message); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
