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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneRequestOneDevice gives a container only its named request.
var OneRequestOneDevice = harness.Case{Meta: spec.Meta{
	ID:       "core/one-request-one-device",
	Checks:   "A container that names one request of a claim sees that request's device and no other.",
	Requires: []spec.RequirementID{"kep-4381/only-named-requests"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Devices: 2, NoDriverFeatures: []spec.DriverFeature{spec.DriverPodDevices, spec.DriverOneContainer}},
	Catches:  []spec.MutantID{"driver-prepare-other-device", "driver-prepare-swapped", "driver-prepare-all-requests"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("one"), t.Driver.Request("two")))
	pod := t.Pod("pod", "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, t.Container("part"))
	pod.Spec.Containers[1].Resources.Claims = []corev1.ResourceClaim{{Name: "claim", Request: "two"}}

	t.RunPod(pod)

	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)
	t.Driver.ExpectDevices("pod", "part", claim, "two")
}}
