package companions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/companions"
)

// That something cannot be served is an answer; what the program says of a failure is in
// the error.
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
