package harness

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// The kubelet looks for the driver that an allocation names, so that the part on nodes has the
// controller's name. It is stopped with the case.
func TestPartOfAClassicDriverOnNodes(t *testing.T) {
	f, drivers := newFake(t), &agents{status: func(string) (spec.DriverStatus, error) { return spec.DriverStatus{Registered: true}, nil }}
	f.env.Drivers, f.Nodes = drivers, []string{"a"}
	p := &ClassicProgram{c: &ClassicDRA{t: f}, what: spec.ClassicProcess{Driver: spec.ClassicDriver{Name: "classic.example.com"}}}
	succeeds(t, f, func() { p.OnNodes() })
	if want := []string{"a classic.example.com"}; !slices.Equal(drivers.started, want) {
		t.Errorf("started %q, want %q", drivers.started, want)
	}
	if n := len(f.hooks.cleanup); n != 1 {
		t.Errorf("the case stops %d drivers on nodes", n)
	}
}
