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
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AlternativeClassMissing has requests with two alternatives, one of them with a missing class.
var AlternativeClassMissing = harness.Case{Meta: spec.Meta{
	ID:       "allocation/alternative-class-missing",
	Checks:   "A claim with an alternative whose class is missing is not allocated, and the pod's status names the class.",
	Requires: []spec.RequirementID{"kep-4381/missing-class-named", "kep-4381/class-change-retries", "kep-4816/alternatives-in-order"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.PrioritizedList}},
}, Run: func(t *harness.T) {
	t.Publish("pool", t.Nodes[0], profiles.TwoDevices().Pools[0].Devices...)
	class := t.CreateClass(nil)
	late := class + ".late"
	there, missing := resourceapi.DeviceSubRequest{Name: "there", DeviceClassName: class}, resourceapi.DeviceSubRequest{Name: "missing", DeviceClassName: late}
	list := func(name string, alternatives ...resourceapi.DeviceSubRequest) *resourceapi.ResourceClaim {
		return objects.Claim(name, resourceapi.DeviceRequest{Name: "list", FirstAvailable: alternatives})
	}
	scheduler.AwaitSeen(t)

	for _, claim := range []*resourceapi.ResourceClaim{list("first", missing, there), list("second", there, missing)} {
		t.Create(claim, objects.Pod(claim.Name, t.Image, claim.Name))
		t.WaitUnschedulable(claim.Name, "request list/missing: device class "+late+" does not exist")
		t.Expect(t.Claim(claim.Name).Status.Allocation).To(gomega.BeNil(), "allocation of claim %s", claim.Name)
	}
	t.Create(objects.Class(late, t.DriverName()))
	t.Expect(retried(t, "first").Status.Allocation.Devices.Results).To(gomega.HaveExactElements(gomega.HaveField("Request", "list/missing")), "devices of the first claim")
	t.Expect(retried(t, "second").Status.Allocation.Devices.Results).To(gomega.HaveExactElements(gomega.HaveField("Request", "list/there")), "devices of the second claim")
}}
