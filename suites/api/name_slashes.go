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

package api

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NameSlashes writes an attribute with two slashes in its name.
var NameSlashes = harness.Case{Meta: spec.Meta{
	ID:         "api/name-slashes",
	Checks:     "The name of an attribute with two slashes is rejected; one with a domain, a slash and an identifier is accepted.",
	Requires:   []spec.RequirementID{"kep-4381/qualified-name-format"},
	Needs:      spec.Needs{NoNode: true},
	KnownIssue: issues.Known("kubernetes#141869"),
}, Run: func(t *harness.T) {
	judgeKnown(t, validSlice, createSlice(t), rule[*resourceapi.ResourceSlice]{
		"an attribute with two slashes", attribute("a.b/c"), attribute("a.b/c/d"), "spec.devices[0].attributes", invalid,
	})
}}
