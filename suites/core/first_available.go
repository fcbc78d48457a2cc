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

package core

import (
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// FirstAvailable has a request with two alternatives; no device fits the first.
var FirstAvailable = harness.Case{Meta: spec.Meta{
	ID:       "core/first-available",
	Checks:   "A container whose request has alternatives sees the device of the alternative that was satisfied.",
	Requires: []spec.RequirementID{"kep-4816/alternatives-in-order", "kep-4816/main-name-means-chosen"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.PrioritizedList}, Profile: profiles.OneDevice(),
		Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverPrioritizedList},
	},
	Catches: []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	request := t.Driver.Request("req")
	never, fits := alternative("never", request.Exactly), alternative("fits", request.Exactly)
	never.Selectors = append(never.Selectors, objects.Selector("false"))
	t.Create(objects.Claim("claim", resourceapi.DeviceRequest{Name: "req", FirstAvailable: []resourceapi.DeviceSubRequest{never, fits}}))
	pod := t.Pod("pod", "claim")
	pod.Spec.Containers[0].Resources.Claims[0].Request = "req"

	t.RunPod(pod)

	claim := t.WaitAllocated("claim")
	t.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveExactElements(gomega.HaveField("Request", "req/fits")), "the request in the allocation")
	t.Driver.ExpectDevices("pod", "main", claim)
}}

func alternative(name string, of *resourceapi.ExactDeviceRequest) resourceapi.DeviceSubRequest {
	return resourceapi.DeviceSubRequest{Name: name, DeviceClassName: of.DeviceClassName, Selectors: slices.Clone(of.Selectors)}
}
