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

package app

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A command configures the log of its process, and servers of other tests may still log, so it runs in
// its own process.
func TestCommandRefusesWhatIsWrong(t *testing.T) {
	if argument := os.Getenv("COMMAND_ARGUMENT"); argument != "" {
		cmd := NewCommand()
		cmd.SetArgs([]string{argument})
		if cmd.Execute() != nil {
			os.Exit(1)
		}
		return
	}
	for argument, want := range map[string]string{"--controllers=foo": `"foo" is not in the list`, "more": "unknown command"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCommandRefusesWhatIsWrong$")
		cmd.Env = append(os.Environ(), "COMMAND_ARGUMENT="+argument)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: expected %s, got %v: %s", argument, want, err, out)
		}
	}
}

// Feature gates belong to the process: "go test -count=2" created a second command and panicked.
func TestTwoCommands(t *testing.T) {
	for range 2 {
		if flag := NewCommand().Flags().Lookup("feature-gates"); !strings.Contains(flag.Usage, "ContextualLogging") {
			t.Errorf("the gates of logging are missing in:\n%s", flag.Usage)
		}
	}
}
