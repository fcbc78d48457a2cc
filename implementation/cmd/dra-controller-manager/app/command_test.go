package app

import (
	"bytes"
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	logsapi "k8s.io/component-base/logs/api/v1"
)

func TestCommandRefusesWhatIsWrong(t *testing.T) {
	// A process configures its log once.
	t.Cleanup(func() { _ = logsapi.ResetForTest(utilfeature.DefaultFeatureGate) })
	cmd := NewCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs([]string{"--controllers=foo"})
	if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), `"foo" is not in the list`) {
		t.Errorf("got %v", err)
	}
	cmd.SetArgs([]string{"more"})
	if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("got %v", err)
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
