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

package run

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/onsi/ginkgo/v2/ginkgo/command"
	"github.com/onsi/ginkgo/v2/ginkgo/run"
)

const (
	// ginkgoArg as first argument makes the binary Ginkgo's command.
	ginkgoArg = "__ginkgo"
	// suiteName as the binary's name makes it a suite process; Ginkgo requires the name of a precompiled suite to end in
	// ".test".
	suiteName = "dratest-suite.test"
	// sessionVariable holds the path of the session file.
	sessionVariable = "DRATEST_SESSION"
	// tmpPrefix is the prefix of the directory with the session file.
	tmpPrefix = "dratest-run-"
)

// Child runs the process started by Run for args, and does not return then. It must be the first call in main.
func Child(args []string, parts func() Parts) {
	switch {
	case filepath.Base(args[0]) == suiteName:
		os.Exit(suiteProcess(parts()))
	case len(args) > 1 && args[1] == ginkgoArg:
		go interruptWithParent()
		command.Program{Name: "ginkgo", Heading: "Ginkgo", DefaultCommand: run.BuildRunCommand()}.RunAndExit(args[1:])
	}
}

// interruptWithParent interrupts this process group like Ctrl-C when the parent is gone: the pipe to our standard
// input closes even if the parent was killed.
func interruptWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	// The parent would have removed it. Suites no longer need it after their start; and after the signal this process
	// may be gone first.
	if dir := filepath.Dir(os.Getenv(sessionVariable)); strings.HasPrefix(filepath.Base(dir), tmpPrefix) {
		_ = os.RemoveAll(dir)
	}
	_ = syscall.Kill(0, syscall.SIGINT)
}

func suiteProcess(parts Parts) int {
	testing.Init()
	flag.Parse()
	session, err := readSession(os.Getenv(sessionVariable))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	t := &verdict{}
	runSession(context.Background(), t, parts, session)
	if t.failed {
		return 1
	}
	return 0
}

// verdict implements Ginkgo's interface of *testing.T.
type verdict struct{ failed bool }

// Fail records that the suite failed.
func (v *verdict) Fail() { v.failed = true }
