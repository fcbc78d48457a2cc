package run_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Definitions and policies for the whole cluster are not installed in that of others without
// their leave.
func TestClassicInAClusterOfOthersNeedsLeave(t *testing.T) {
	noFilesLeft(t)
	p := parts()
	p.Cases = append(p.Cases, harness.Case{Meta: spec.Meta{ID: "fake/classic", Checks: "It does.",
		Requires: []spec.RequirementID{"kep-3063/x"}, Needs: spec.Needs{Companions: []spec.Companion{spec.ClassicCompanion}, NoKubelet: true}}})
	kubeconfig, _ := apiServer(t)
	o, _ := options(t, kubeconfig, "^fake/passes ", "^fake/classic ")
	report, err := run.Run(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	got := statuses(report)
	if why := reason(report, "fake/classic"); got["fake/classic"] != spec.NotApplicable || !strings.Contains(why, "--disruptive") {
		t.Errorf("fake/classic: %s: %s", got["fake/classic"], why)
	}
	if got["fake/passes"] != spec.Passed {
		t.Errorf("fake/passes: %s", got["fake/passes"])
	}
}
