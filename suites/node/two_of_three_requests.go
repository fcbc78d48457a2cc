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

package node

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/kubelet"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TwoOfThreeRequests has a container reference a claim twice, with a different request each.
var TwoOfThreeRequests = harness.Case{Meta: spec.Meta{
	ID:       "node/two-of-three-requests",
	Checks:   "A container referencing two of a claim's three requests gets the devices of these two only.",
	Requires: []spec.RequirementID{"kep-4381/only-named-requests", "kep-4381/cdi-into-container"},
	Needs:    spec.Needs{Profile: profiles.Devices(3)},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("one", class), objects.Request("two", class), objects.Request("three", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "one"}, {Name: "claim", Request: "two"}}

	pod = t.RunPod(pod)

	var devices, names []string
	answered := simdriver.Of(t).Calls(spec.Prepare, "claim")[0].Claims[0].CDIDevices
	for i, r := range t.WaitAllocated("claim").Status.Allocation.Devices.Results {
		if r.Request != "three" {
			devices, names = append(devices, r.Device), append(names, answered[i])
		}
	}
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices(devices...), "devices of the two requests")
	t.Expect(kubelet.CDIDevices(t, pod, "main")).To(gomega.ConsistOf(names), "CDI devices of the container")
}}
