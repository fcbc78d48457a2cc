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

// AnswerLost is about: kubernetes-sigs/dra-driver-nvidia-gpu#840, kubernetes-sigs/dranet#89. It is
// fair to all kubelets: each retries.
var AnswerLost = harness.Case{Meta: spec.Meta{
	ID:     "life/answer-lost",
	Checks: "A pod gets its device even if the driver is killed after preparing its claim, but before answering.",
	Requires: []spec.RequirementID{
		"kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare", "kubeletplugin/other-process-unprepares",
	},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver, node := undertest.Of(t), t.Nodes[0]
	proxy := driver.Between(node, spec.Proxy{KillAfter: spec.Prepare})
	t.Create(objects.Claim("claim", t.Driver.Request("req")))

	t.RunPod(objects.OnlyOn(t.Pod("pod", "claim"), node))

	proxy.ExpectKilled(spec.Prepare)
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	again(t, claim, node)
	driver.Replace(node)
}}
