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

package classic

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ParametersOfAnyKind defines the parameters' kind after the driver has read others. Each claim misses something
// else: the retries of a single claim would be too rare by then for a case to wait for.
var ParametersOfAnyKind = harness.Case{Meta: spec.Meta{
	ID:       "classic/parameters-of-any-kind",
	Checks:   "Parameters may be of a kind defined after the driver started; while kind, permission or object lack, an event says so.",
	Requires: []spec.RequirementID{"article-126/parameters-in-objects", "kep-3063/parameters-checked-by-driver", "kep-3063/failed-steps-retried", "kep-3063/attributes-passed-on"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 4}) // one per claim, in any order
	class, kind := d.Class("", nil), c.Kind()
	atOnceWith := func(chosen choice) choice {
		chosen["allocationMode"] = modeAtOnce
		return chosen
	}
	t.Create(claim("before", class, atOnceWith(parameters(t, "parameters", map[string]string{"a": "b"}))))
	t.WaitAllocated("before")

	t.Create(claim("unknown", class, atOnceWith(referTo(kind, "object"))))
	t.WaitEvent("unknown", "Failed", "the API server has no kind "+kind.Kind)
	kind.Define(map[string]any{"a": map[string]any{"type": "string"}, "userLimit": map[string]any{"type": "integer"}})
	t.Create(kind.Object("first", map[string]any{})) // The API server holds it up until 2 s after the definition.
	t.Create(claim("forbidden", class, atOnceWith(referTo(kind, "object"))))
	t.WaitEvent("forbidden", "Failed", "the driver may not read kind "+kind.Kind)
	kind.MayRead()

	t.Create(claim("claim", class, referTo(kind, "object")), c.Pod("pod", "claim"))
	t.WaitEvent("claim", "Failed", `"object" not found`)
	for _, name := range []string{"unknown", "forbidden", "claim"} {
		unallocated(t, name)
	}
	t.Create(kind.Object("object", map[string]any{"a": "b", "userLimit": int64(2)}))
	t.WaitScheduled("pod")
	record := c.WaitClassicClaim("claim", "allocated", func(r *classicdra.ClassicClaim) bool { return r != nil && r.Phase == allocated })
	t.Expect(record.Handle).To(gomega.ContainSubstring(`"environment":{"user_a":"b"}`), "data stored by the driver")
	t.Expect(record.UserLimit).To(gomega.BeEquivalentTo(2), "limit of users, as the object has it")
}}
