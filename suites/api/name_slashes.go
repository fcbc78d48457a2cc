package api

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NameSlashes writes an attribute whose name has two slashes.
var NameSlashes = harness.Case{Meta: spec.Meta{
	ID:       "api/name-slashes",
	Checks:   "The name of an attribute with two slashes is rejected; one with a domain, a slash and an identifier is accepted.",
	Requires: []spec.RequirementID{"kep-4381/qualified-name-format"},
	Needs:    spec.Needs{NoNode: true},
	KnownIssue: &spec.KnownIssue{
		Issue: "kubernetes#141869", Component: spec.APIServer, Through: "1.37", Review: "2027-01-31",
		Does: "Names with more than one slash are not looked at, and stored.",
	},
}, Run: func(t *harness.T) {
	judgeKnown(t, validSlice, createSlice(t), rule[*resourceapi.ResourceSlice]{
		"an attribute with two slashes", attribute("a.b/c"), attribute("a.b/c/d"), "spec.devices[0].attributes", invalid,
	})
}}
