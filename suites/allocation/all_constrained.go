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

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllConstrained has a request for all devices, of two models, with a constraint on the model. Explore found it.
var AllConstrained = harness.Case{Meta: spec.Meta{
	ID:         "allocation/all-constrained",
	Checks:     "An alternative for all devices that violates a constraint gives way to the next one.",
	Requires:   []spec.RequirementID{"kep-4816/alternatives-in-order", "kep-4816/first-fit-on-node"},
	Needs:      spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PrioritizedList}},
	KnownIssue: issues.Known("all-constrained"),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], profiles.Device(0, "a", "8Gi"), profiles.Device(1, "b", "8Gi"))
	t.Expect(results(use(t, objects.Claim("known", all("req", class))))).To(gomega.HaveLen(2), "all devices without a constraint")
	release(t, "known")

	list := objects.Claim("list", resourceapi.DeviceRequest{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "all", DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeAll}, {Name: "one", DeviceClassName: class},
	}})
	t.Create(constrained(list, match(t, profiles.Model)), objects.Pod("list", t.Image, "list"))
	if !scheduledOr(t, "list", "because a claim constraint would not be satisfied") {
		t.KnownIssue("a pod waits because its first alternative violates a constraint")
		return
	}
	t.Expect(results(t.Claim("list"))).To(gomega.Equal([]string{"list/one=pool/device-0"}), "device of the second alternative")
}}
