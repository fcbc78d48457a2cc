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

// ContainerRestarted terminates a container and checks its restart
// (kubernetes-sigs/dra-driver-cpu#235).
var ContainerRestarted = harness.Case{Meta: spec.Meta{
	ID:       "core/container-restarted",
	Checks:   "A restarted container has the same device as before.",
	Requires: []spec.RequirementID{"kep-4381/cdi-into-container", "kep-4381/cdi-files-exist"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.Pod("pod", "claim")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	t.RunPod(pod)
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)

	t.EndContainer("pod", "main")

	t.WaitRunningAgain("pod", 0)
	t.Driver.ExpectDevices("pod", "main", claim)
}}
