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

package companions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/companions"
)

// Unserved pods are a valid answer; an error has the program's message.
func TestAsk(t *testing.T) {
	for _, test := range []struct{ name, script, out, problem string }{
		{"answer", `cat; echo " $@"`, "input a --kubeconfig=k --context=c\n", ""},
		{"unserved", `echo answer; exit 1`, "answer\n", ""},
		{"exit code 1 without an answer", `exit 1`, "", "exit status 1"},
		{"failure", `echo answer; echo bad >&2; exit 2`, "", "exit status 2: bad"},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
			out, err := companions.Command{Program: program, Kubeconfig: "k", Context: "c"}.Ask(t.Context(), []byte("input"), "a")
			if string(out) != test.out || (err == nil) != (test.problem == "") || err != nil && !strings.HasSuffix(err.Error(), test.problem) {
				t.Errorf("got %q and error %v", out, err)
			}
		})
	}
	if _, err := (companions.Command{}).Ask(t.Context(), nil); err == nil {
		t.Error("it was asked without a program")
	}
}
