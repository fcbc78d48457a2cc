package classicdra

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
	"github.com/dra-conformance/dratest/framework/spec"
)

// The kubelet looks for the driver that an allocation names, so that the part on nodes has the
// controller's name. It is stopped with the case.
func TestPartOfADriverOnNodes(t *testing.T) {
	nodes := &harnesstest.Agents{}
	target := spec.Target{Nodes: []spec.Node{{Name: "a", OS: "linux", Schedulable: true}}}
	f := harnesstest.New(t, spec.Meta{}, &harness.Env{Agents: nodes, Plan: spec.Plan{Target: target}})
	p := &Program{c: &DRA{t: f.T}, what: spec.ClassicProcess{Driver: spec.ClassicDriver{Name: "classic.example.com"}}}
	f.Succeeds(t, func() { p.OnNodes() })
	if want := []string{"a classic.example.com"}; !slices.Equal(nodes.Started, want) {
		t.Errorf("started %q, want %q", nodes.Started, want)
	}
	if err := f.End(t); err != nil || !slices.Equal(nodes.Stopped, nodes.Started) {
		t.Errorf("stopped %q, %v", nodes.Stopped, err)
	}
}
