package plan_test

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/plan"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestWithoutClassic(t *testing.T) {
	built, err := plan.Build([]spec.Meta{
		meta("a/classic", needs(spec.Needs{Classic: true, NoKubelet: true})), meta("a/other"),
	}, spec.Target{Nodes: []spec.Node{node("a")}}, plan.Filter{})
	if err != nil || !built.RunsClassic() {
		t.Fatalf("has classic DRA: %t, %v", built.RunsClassic(), err)
	}
	without := plan.WithoutClassic(built, "there is none")
	if skip := without.Entries[0].Skip; skip == nil || *skip != (spec.Skip{Code: plan.SkipClassic, Text: "there is none"}) || without.Entries[1].Skip != nil || without.RunsClassic() {
		t.Errorf("%+v", without.Entries)
	}
}
