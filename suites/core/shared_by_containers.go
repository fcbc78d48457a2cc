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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedByContainers gives one claim to two containers of a pod.
var SharedByContainers = harness.Case{Meta: spec.Meta{
	ID:       "core/shared-by-containers",
	Checks:   "Two containers of a pod that name the same claim see the same device.",
	Requires: []spec.RequirementID{"kep-4381/share-between-containers"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Devices: 1, NoDriverFeatures: []spec.DriverFeature{spec.DriverOneContainer}},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.Pod("pod", "claim")
	pod.Spec.Containers = append(pod.Spec.Containers, t.Container("second", "claim"))

	t.RunPod(pod)

	claim := t.WaitAllocated("claim")
	for _, container := range []string{"main", "second"} {
		t.Driver.ExpectDevices("pod", container, claim)
	}
}}
