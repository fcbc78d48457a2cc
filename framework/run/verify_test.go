package run_test

import (
	"os"
	"testing"

	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
	"github.com/dra-conformance/dratest/suites/requirements"
)

// holds fails the test if the report of a run, however it went, does not hold.
func holds(t *testing.T, o run.Options) {
	t.Helper()
	texts, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	_, reasons, err := verify.Directory(os.DirFS(o.ReportDir), schema.Required(run.Metas(parts().Cases), texts))
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range reasons {
		t.Error(reason)
	}
}
