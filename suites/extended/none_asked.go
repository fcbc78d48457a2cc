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

package extended

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NoneAsked requests zero of an extended resource, by both names, without free devices. Together with
// another request it is not mapped, and the special claim has no request for it.
var NoneAsked = harness.Case{Meta: spec.Meta{
	ID:       "extended/none-asked",
	Checks:   "Requesting zero units of an extended resource needs no device and no special claim.",
	Requires: []spec.RequirementID{"kep-5004/zero-without-claim"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"))
	mixed := objects.PodWanting("mixed", t.Image, map[string]int64{resource: 1})
	mixed.Spec.Containers = append(mixed.Spec.Containers, objects.Wants(objects.Container("none", t.Image, objects.Stay), map[string]int64{resource: 0}))
	t.Create(mixed)
	status := t.WaitScheduled("mixed").Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the status of the pod requesting a device")
	requests := t.Claim(status.ResourceClaimName).Spec.Devices.Requests
	t.Expect(requests).To(gomega.HaveLen(1), "requests of its claim")
	t.Expect(status.RequestMappings).To(gomega.ConsistOf(
		corev1.ContainerExtendedResourceRequest{ContainerName: "main", ResourceName: resource, RequestName: requests[0].Name}), "mappings in its status")
	t.Create(objects.PodWanting("late", t.Image, map[string]int64{resource: 1}))
	t.WaitUnschedulable("late", "cannot allocate all claims")

	for what, name := range map[string]string{"explicit": resource, "implicit": implicit(t.DriverName())} {
		t.Create(objects.PodWanting(what, t.Image, map[string]int64{name: 0}))
		t.Expect(t.WaitScheduled(what).Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of a pod requesting 0 by the %s name", what)
	}
	t.Expect(special(t)).To(gomega.ConsistOf(status.ResourceClaimName), "special claims")
}}
