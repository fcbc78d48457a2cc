package harness

import (
	"slices"
	"testing"
)

// Fail without faults ends those before, also when it reaches the driver as JSON, where an
// empty list is another thing than none.
func TestFailWithoutFaultsEndsThem(t *testing.T) {
	f, drivers := newFake(t), &told{}
	f.env.Agents, f.Nodes = drivers, []string{"node"}
	d := f.addDriver("driver", f.meta.Needs.Profile)

	succeeds(t, f, func() { d.Fail() })

	if want := []string{`{"faults":[]}`}; !slices.Equal(drivers.changes, want) {
		t.Errorf("sent %v", drivers.changes)
	}
}
