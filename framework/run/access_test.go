package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/testbed/access"
	"github.com/dra-conformance/dratest/reports"
)

func TestRunSaysWhatItMayNotBeforeItStarts(t *testing.T) {
	kubeconfig, _ := apiServerThat(t, false)
	o, _ := options(t, kubeconfig, "^fake/passes")
	_, err := run.Run(t.Context(), parts(), o)
	var missing access.MissingError
	if !errors.As(err, &missing) || len(missing.Rights) != len(access.Of(access.Rules(false))) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(o.ReportDir, reports.JSONFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a report of a run that did not start: %v", err)
	}
}
