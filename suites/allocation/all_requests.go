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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllRequests has a claim with two requests; at first only one can be satisfied.
var AllRequests = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-requests",
	Checks:   "A claim is allocated only if all its requests can be satisfied, each with its own devices; else it holds none.",
	Requires: []spec.RequirementID{"kep-4381/all-requests-satisfied", "kep-4381/results-name-request"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	model := t.Attribute(profiles.Model) + " == 'a'"
	t.Publish("first", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"), profiles.Device(2, "b", "8Gi"))
	use(t, objects.Claim("known", objects.Request("req", class, t.Attribute(profiles.Model)+" == 'b'")))

	wait(t, objects.Claim("both", objects.Request("one", class, model), count("more", class, 2, model)))
	t.Expect(t.Claim("both").Status.Allocation).To(gomega.BeNil(), "allocation of a claim with one satisfiable request")
	t.Expect(use(t, objects.Claim("other", count("req", class, 2, model)))).To(matchers.HaveDevices("device-0", "device-1"), "devices not held by the waiting claim")
	t.Publish("second", t.Nodes[0], profiles.Device(3, "a", "8Gi"), profiles.Device(4, "a", "8Gi"), profiles.Device(5, "a", "8Gi"))
	t.Expect(results(used(t, "both"))).To(gomega.ConsistOf("one=second/device-3", "more=second/device-4", "more=second/device-5"), "devices of both requests")
}}
