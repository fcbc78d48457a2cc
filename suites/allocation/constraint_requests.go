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

package allocation

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ConstraintRequests has a constraint for two of three requests.
var ConstraintRequests = harness.Case{Meta: spec.Meta{
	ID:       "allocation/constraint-requests",
	Checks:   "A constraint applies to the requests it names, and to all requests if it names none.",
	Requires: []spec.RequirementID{"kep-4381/constraint-of-some-requests"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("one", map[string]any{"numa": 1}), device("two", map[string]any{"numa": 2}), device("also-one", map[string]any{"numa": 1}))
	claim := func(name string, constraint resourceapi.DeviceConstraint) *resourceapi.ResourceClaim {
		return constrained(objects.Claim(name, objects.Request("a", class), objects.Request("b", class), objects.Request("c", class)), constraint)
	}

	t.Expect(results(use(t, claim("some", match(t, "numa", "a", "b"))))).To(gomega.Equal([]string{"a=pool/one", "b=pool/also-one", "c=pool/two"}), "devices with a constraint for a and b")
	release(t, "some")
	t.Expect(results(use(t, claim("others", match(t, "numa", "b", "c"))))).To(gomega.Or(
		gomega.Equal([]string{"a=pool/two", "b=pool/one", "c=pool/also-one"}), gomega.Equal([]string{"a=pool/two", "b=pool/also-one", "c=pool/one"}),
	), "devices with a constraint for b and c")
	release(t, "others")
	wait(t, claim("all", match(t, "numa")))
}}
