package plan_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWithoutPermission(t *testing.T) {
	target := spec.Target{Nodes: []spec.Node{node("a")}, Gates: map[spec.Feature]bool{spec.PoolStatus: true}}
	built, err := plan.Build([]spec.Meta{
		meta("a/pools", needs(spec.Needs{Features: []spec.Feature{spec.PoolStatus}})), meta("a/other"),
	}, target, plan.Filter{})
	if err != nil || !built.RunsWith(spec.PoolStatus) {
		t.Fatalf("has requests for the status of pools: %t, %v", built.RunsWith(spec.PoolStatus), err)
	}
	without := plan.WithoutPermission(built, spec.PoolStatus, "it may not")
	if skip := without.Entries[0].Skip; skip == nil || *skip != (spec.Skip{Code: plan.SkipPermission, Text: "it may not"}) || without.Entries[1].Skip != nil || without.RunsWith(spec.PoolStatus) {
		t.Errorf("%+v", without.Entries)
	}
}
