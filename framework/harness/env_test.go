package harness

import (
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

// A case that needs a companion program which the run does not have says nothing about Kubernetes.
func TestMissingCompanionBlocks(t *testing.T) {
	f := newFake(t)
	f.env.Companions = map[spec.Companion]any{spec.WhatIfCompanion: "client"}
	succeeds(t, f, func() {
		if got := f.Companion(spec.WhatIfCompanion); got != "client" {
			t.Errorf("got companion %v", got)
		}
	})

	if failureOf(func() { f.Companion(spec.FabricCompanion) }) == nil {
		t.Error("the case goes on")
	}
	if f.blocked == "" {
		t.Error("the case is not blocked")
	}
}
