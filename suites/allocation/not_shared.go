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

// NotShared requests parts of a device without multiple allocations; another device is shareable.
var NotShared = harness.Case{Meta: spec.Meta{
	ID:       "allocation/not-shared",
	Checks:   "A device without multiple allocations is given to one request only, without consumed capacity or share ID.",
	Requires: []spec.RequirementID{"kep-5075/not-shared-by-default", "kep-5075/consumed-only-if-shared", "kep-5075/cel-multiple"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ConsumableCapacity}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	capacities := map[string]resourceapi.DeviceCapacity{"memory": amount("8Gi")}
	plain := shared("plain", capacities)
	plain.AllowMultipleAllocations = nil
	t.Publish("pool", t.Nodes[0], plain, shared("shared", capacities))
	ask := func(name, selector string) *resourceapi.ResourceClaim {
		request := capacity("req", class, map[string]string{"memory": "1Gi"})
		request.Exactly.Selectors = []resourceapi.DeviceSelector{objects.Selector(selector)}
		return objects.Claim(name, request)
	}

	for _, name := range []string{"one", "two"} {
		t.Expect(consumed(use(t, ask(name, "device.allowMultipleAllocations")))).To(gomega.Equal([]string{"req=shared memory:1Gi"}), "claim %s of the shared device", name)
	}
	both := ask("both", "!device.allowMultipleAllocations")
	other := both.Spec.Devices.Requests[0].DeepCopy()
	other.Name = "other"
	both.Spec.Devices.Requests = append(both.Spec.Devices.Requests, *other)
	wait(t, both)
	only := use(t, ask("only", "device.allowMultipleAllocations == false"))
	t.Expect(consumed(only)).To(gomega.Equal([]string{"req=plain"}), "claim of the unshared device")
	t.Expect(only.Status.Allocation.Devices.Results[0].ShareID).To(gomega.BeNil(), "identifier of its allocation")
	wait(t, ask("waits", "!device.allowMultipleAllocations"))
}}
