package spec_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestGapIsComplete(t *testing.T) {
	good := spec.Gap{Issue: "kubernetes#1", Component: spec.Kubelet, Through: "1.37", Does: "It does not."}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*spec.Gap){
		"must have an issue":        func(g *spec.Gap) { g.Issue = "" },
		"say what":                  func(g *spec.Gap) { g.Does = "" },
		"one of the scheduler":      func(g *spec.Gap) { g.Component = "etcd" },
		"the last minor release":    func(g *spec.Gap) { g.Through = "v1.37.1" },
		`case "a/b": a known gap m`: func(g *spec.Gap) { *g = spec.Gap{Does: "x", Component: spec.Kubelet, Through: "1.37"} },
	} {
		gap := good
		change(&gap)
		meta := spec.Meta{ID: "a/b", Checks: "It holds.", Requires: []spec.RequirementID{"a/b"}, KnownGap: &gap}
		if err := meta.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}
