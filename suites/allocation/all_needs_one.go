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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllNeedsOne requests all devices where none matches.
var AllNeedsOne = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-needs-one",
	Checks:   "A request for all devices needs at least one: its pod waits until some node has a matching device.",
	Requires: []spec.RequirementID{"resource-v1/all-needs-one"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }
	t.Publish("without", t.Nodes[0], profiles.Device(0, "a", "8Gi"))
	use(t, objects.Claim("known", objects.Request("req", class, model("a"))))

	wait(t, objects.Claim("all", all("req", class, model("b"))))
	t.Publish("with", t.Nodes[1], profiles.Device(1, "b", "8Gi"))
	t.Expect(results(used(t, "all"))).To(gomega.Equal([]string{"req=with/device-1"}), "the only matching device")
}}
