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
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// beyondLimit is the scheduler's message for a claim with more devices than it may have.
const beyondLimit = "exceeds the claim limit"

// LimitOfDevices requests all of more devices than a claim may have.
var LimitOfDevices = harness.Case{Meta: spec.Meta{
	ID:       "allocation/limit-of-devices",
	Checks:   "A claim for all devices gets up to 32 of them; with 33 it gets none and its pod waits.",
	Requires: []spec.RequirementID{"kep-4381/allocation-32-devices"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	most := resourceapi.AllocationResultsMaxSize
	t.Publish("most", t.Nodes[0], profiles.Devices(most).Pools[0].Devices...)
	one := objects.Claim("all", all("req", class))
	t.Expect(use(t, one).Status.Allocation.Devices.Results).To(gomega.HaveLen(most), "all devices")
	release(t, "all")

	more := profiles.Device(most, "b", "8Gi")
	t.Publish("more", t.Nodes[0], more)
	use(t, objects.Claim("b", objects.Request("req", class, t.Attribute(profiles.Model)+" == 'b'")))
	release(t, "b")
	for _, claim := range []*resourceapi.ResourceClaim{
		objects.Claim("too-many", all("req", class)),
		objects.Claim("together", all("a", class, t.Attribute(profiles.Model)+" == 'a'"), all("b", class, t.Attribute(profiles.Model)+" == 'b'")),
	} {
		t.Create(claim, objects.Pod(claim.Name, t.Image, claim.Name))
		t.WaitUnschedulable(claim.Name, beyondLimit)
	}
	t.Expect(use(t, objects.Claim("less", all("req", class, t.Attribute(profiles.Model)+" == 'a'"))).Status.Allocation.Devices.Results).To(gomega.HaveLen(most), "all devices of a model")
}}
