package app

import (
	"bytes"
	"strings"
	"testing"
)

func TestCommandRefusesWhatIsWrong(t *testing.T) {
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
