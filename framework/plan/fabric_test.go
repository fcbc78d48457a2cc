package plan_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWithoutFabrics(t *testing.T) {
	built, err := plan.Build([]spec.Meta{
		meta("a/fabric", needs(spec.Needs{Composable: true})),
		meta("a/fabric-of-many", needs(spec.Needs{Composable: true, Nodes: 9})),
		meta("a/other"),
	}, spec.Target{Nodes: []spec.Node{node("a")}}, plan.Filter{})
	if err != nil || !built.RunsComposable() {
		t.Fatalf("runs fabrics: %t, %v", built.RunsComposable(), err)
	}
	without := plan.WithoutFabrics(built, "there is none")
	for i, want := range []*spec.Skip{{Code: plan.SkipFabric, Text: "there is none"}, built.Entries[1].Skip, nil} {
		got := without.Entries[i].Skip
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: skipped for %v, want %v", without.Entries[i].Meta.ID, got, want)
		}
	}
	if without.RunsComposable() || !built.RunsComposable() {
		t.Error("the plan without fabrics runs them, or the other one was changed")
	}
}

func TestWithoutWhatIf(t *testing.T) {
	built, err := plan.Build([]spec.Meta{
		meta("a/whatif", needs(spec.Needs{WhatIf: true, NoKubelet: true})), meta("a/other"),
	}, spec.Target{Nodes: []spec.Node{node("a")}}, plan.Filter{})
	if err != nil || !built.RunsWhatIf() {
		t.Fatalf("asks: %t, %v", built.RunsWhatIf(), err)
	}
	without := plan.WithoutWhatIf(built, "there is none")
	if skip := without.Entries[0].Skip; skip == nil || *skip != (spec.Skip{Code: plan.SkipWhatIf, Text: "there is none"}) || without.Entries[1].Skip != nil || without.RunsWhatIf() {
		t.Errorf("%+v", without.Entries)
	}
}
