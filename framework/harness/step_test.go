package harness

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Steps tell people what a case does now; what it saw meanwhile is for the log only.
func TestStepsGoToTheJournal(t *testing.T) {
	var got []string
	f := newT(spec.Meta{ID: "area/case"}, &Env{Journal: func(p spec.Progress) { got = append(got, p.ID+": "+p.Step) }})
	f.say = io.Discard
	f.Step("create %s", "pod\nwith a second line")
	f.note("pod is there")
	if d := cmp.Diff([]string{"area/case: create pod …"}, got); d != "" {
		t.Error(d)
	}
	if n := len(f.stepsSoFar()); n != 2 {
		t.Errorf("%d steps are kept for the report, want 2", n)
	}
}
