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

package lifecycle

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PodEndsWithoutDriver is about: kubernetes-sigs/dranet#89. It is fair to all kubelets.
var PodEndsWithoutDriver = harness.Case{Meta: spec.Meta{
	ID:     "life/pod-ends-without-driver",
	Checks: "The claim of a pod deleted right after a driver crash is unprepared by the next process.",
	Requires: []spec.RequirementID{
		"kubeletplugin/other-process-unprepares", "kep-4381/unprepare-undoes-prepare", "kep-4381/unprepare-idempotent",
	},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)

	driver.Kill(node)
	t.RemovePod("pod")

	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	again(t, claim, node)
	driver.Replace(node)
}}
