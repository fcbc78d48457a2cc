package app

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A command configures the log of its process, where servers of other tests may still log:
// it has a process of its own.
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

// Feature gates belong to the process: "go test -count=2" made a second command, and
// panicked.
func TestTwoCommands(t *testing.T) {
	for range 2 {
		if flag := NewCommand().Flags().Lookup("feature-gates"); !strings.Contains(flag.Usage, "ContextualLogging") {
			t.Errorf("the gates of logging are missing in:\n%s", flag.Usage)
		}
	}
}
