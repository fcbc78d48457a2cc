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
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// KilledWhilePreparing is about: kubernetes-sigs/dra-driver-nvidia-gpu#840. It is fair to all
// kubelets. The moment of the crash is random, the expected result is not.
var KilledWhilePreparing = harness.Case{Meta: spec.Meta{
	ID:     "life/killed-while-preparing",
	Checks: "A pod gets and releases its device even if the driver is killed when the pod arrives on its node.",
	Requires: []spec.RequirementID{
		"kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare", "kubeletplugin/other-process-unprepares",
	},
	Needs:         spec.Needs{Devices: 1, DriverPods: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	t.Create(t.Pod("pod", "claim"))
	node := t.WaitPod("pod", "scheduled", func(p *corev1.Pod) (bool, error) { return p.Spec.NodeName != "", nil }).Spec.NodeName

	driver.Kill(node)

	t.WaitRunning("pod")
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	driver.ExpectNothingLeft(node, claim)
	driver.Replace(node)
}}
