package harness

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// told are drivers that remember as what changes travel to them.
type told struct {
	agents

	changes []string
}

func (d *told) Change(_ context.Context, _, _ string, change spec.DriverChange) error {
	text, err := json.Marshal(change)
	d.changes = append(d.changes, string(text))
	return err
}

// A script that was to say nothing any more went on: null leaves a script as it is.
func TestFabricIsToldToSayNothing(t *testing.T) {
	f, drivers := newFake(t), &told{}
	f.env.Drivers, f.Nodes, f.Driver = drivers, []string{"node"}, f.addDriver("d", f.meta.Needs.Profile)
	succeeds(t, f, func() {
		f.Driver.Fabric("node", spec.FabricCondition{Type: "a"})
		f.Driver.Fabric("node")
	})
	if want := []string{`{"fabric":[{"type":"a"}]}`, `{"fabric":[]}`}; !slices.Equal(drivers.changes, want) {
		t.Errorf("got %v", drivers.changes)
	}
}
