package components

import (
	"os"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestProgramsThatCasesStartAreNotSwitched(t *testing.T) {
	for id, want := range map[string]bool{
		"scheduler-x": true, "controllers-x": true, "kubelet-x": true,
		"scheduler-classic-x": false, "classic-x": false, "fabric-x": false, "whatif-x": false,
	} {
		if got := (Mutant{Defect: spec.Defect{ID: id}}).OfCluster(); got != want {
			t.Errorf("%s: got %t", id, got)
		}
	}
}

func TestWhatACaseStartsSaysWhenItCrashes(t *testing.T) {
	m := Mutant{Defect: spec.Defect{ID: "whatif-x"}}
	for name, crash := range map[string]string{"it does not": "", "it does": "panic: assignment to entry in nil map"} {
		_, crashed, err := told(m, func() (schema.Report, error) {
			if got := os.Getenv(variable); got != m.ID {
				t.Errorf("%s: it is told %q", name, got)
			}
			return schema.Report{}, os.WriteFile(os.Getenv(crashVariable), []byte(crash), 0o600)
		})
		if err != nil || crashed != (crash != "") || os.Getenv(variable) != "" {
			t.Errorf("%s: got %t, %v, and %q afterwards", name, crashed, err, os.Getenv(variable))
		}
	}
}
