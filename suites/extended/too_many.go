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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TooMany requests the maximum number of devices per claim in two containers, and one more.
var TooMany = harness.Case{Meta: spec.Meta{
	ID:       "extended/too-many",
	Checks:   "A pod requesting more extended-resource devices than a claim may have stays pending and reports why.",
	Requires: []spec.RequirementID{"kep-5004/too-many-devices-pending"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.Devices(resourceapi.AllocationResultsMaxSize + 1)},
}, Run: func(t *harness.T) {
	resource := createClass(t)
	const most = resourceapi.AllocationResultsMaxSize

	t.Create(objects.PodWanting("too-many", t.Image, map[string]int64{resource: most + 1}))
	t.WaitEvent("too-many", "FailedScheduling", "exceeds the claim limit")
	t.Expect(t.Claims()).To(gomega.BeEmpty(), "claims of the pod requesting too many")

	pod := objects.PodWanting("as-many", t.Image, map[string]int64{resource: most - 1})
	pod.Spec.Containers = append(pod.Spec.Containers, objects.Wants(objects.Container("other", t.Image, objects.ShowAndStay), map[string]int64{resource: 1}))
	status := t.RunPod(pod).Status.ExtendedResourceClaimStatus
	t.Expect(status).NotTo(gomega.BeNil(), "the claim in the pod's status")
	t.Expect(t.WaitAllocated(status.ResourceClaimName).Status.Allocation.Devices.Results).To(gomega.HaveLen(most), "devices of the pod requesting the maximum of a claim")
}}
