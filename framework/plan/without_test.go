/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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

func TestWithoutCompanion(t *testing.T) {
	const companion, code = spec.Companion("fabric"), spec.SkipCode("NoFabric")
	both := []spec.Companion{companion, "other"}
	built, err := plan.Build([]spec.Meta{
		meta("a/fabric", needs(spec.Needs{Companions: both})),
		meta("a/fabric-of-many", needs(spec.Needs{Companions: both, Nodes: 9})),
		meta("a/simulated", needs(spec.Needs{Companions: both, NoKubelet: true})),
		meta("a/other", needs(spec.Needs{Companions: []spec.Companion{"other"}})),
	}, spec.Target{Nodes: []spec.Node{node("a")}}, plan.Filter{})
	if err != nil || !built.NeedsCompanion(companion) {
		t.Fatalf("runs fabrics: %t, %v", built.NeedsCompanion(companion), err)
	}
	check := func(p spec.Plan, want ...*spec.Skip) {
		t.Helper()
		for i, want := range want {
			got := p.Entries[i].Skip
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Errorf("%s: skipped for %v, want %v", p.Entries[i].Meta.ID, got, want)
			}
		}
	}
	nodes := built.Entries[1].Skip
	some := plan.WithoutCompanion(built, companion, code, func(n spec.Needs) string {
		if n.NoKubelet {
			return "no nodes"
		}
		return ""
	})
	check(some, nil, nodes, &spec.Skip{Code: code, Text: "no nodes"}, nil)
	none := plan.WithoutCompanion(some, companion, code, func(spec.Needs) string { return "there is none" })
	check(none, &spec.Skip{Code: code, Text: "there is none"}, nodes, &spec.Skip{Code: code, Text: "no nodes"}, nil)
	if none.NeedsCompanion(companion) || !none.NeedsCompanion("other") || !built.NeedsCompanion(companion) {
		t.Error("the plan without fabrics runs them or leaves others out, or the other one was changed")
	}
}
