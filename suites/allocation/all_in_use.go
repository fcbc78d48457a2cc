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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllInUse asks for all devices while one of them is in use.
var AllInUse = harness.Case{Meta: spec.Meta{
	ID:       "allocation/all-in-use",
	Checks:   "A request for all devices waits while a matching device is in use, and gets all of them afterwards.",
	Requires: []spec.RequirementID{"kep-4381/all-fails-if-some-in-use", "kep-4381/deallocation-seen"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "a", "8Gi"), profiles.Device(2, "b", "8Gi"))
	model := func(name string) string { return t.Attribute(profiles.Model) + " == '" + name + "'" }
	use(t, objects.Claim("other", objects.Request("req", class, model("b"))))
	use(t, objects.Claim("one", objects.Request("req", class, model("a"))))

	wait(t, objects.Claim("all", all("req", class, model("a"))))
	release(t, "one")
	t.Expect(retried(t, "all")).To(matchers.HaveDevices("device-0", "device-1"), "all devices of the model")
}}
