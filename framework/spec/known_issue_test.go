package spec_test

import (
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestKnownIssueIsComplete(t *testing.T) {
	good := spec.KnownIssue{Issue: "kubernetes#1", Component: spec.Kubelet, Through: "1.37", Does: "It does not."}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*spec.KnownIssue){
		"must have an issue":          func(k *spec.KnownIssue) { k.Issue = "" },
		"say what":                    func(k *spec.KnownIssue) { k.Does = "" },
		"one of the scheduler":        func(k *spec.KnownIssue) { k.Component = "etcd" },
		"the last minor release":      func(k *spec.KnownIssue) { k.Through = "v1.37.1" },
		`case "a/b": a known issue m`: func(k *spec.KnownIssue) { *k = spec.KnownIssue{Does: "x", Component: spec.Kubelet, Through: "1.37"} },
	} {
		issue := good
		change(&issue)
		meta := spec.Meta{ID: "a/b", Checks: "It holds.", Requires: []spec.RequirementID{"a/b"}, KnownIssue: &issue}
		if err := meta.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}
