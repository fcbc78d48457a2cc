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
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Uninstalled is about: kubernetes/kubernetes#128696, ROCm/container-toolkit#18. It is fair to all
// kubelets: they delete the slices of absent drivers. A reinstalled driver publishes the same
// devices and serves a pod.
var Uninstalled = harness.Case{Meta: spec.Meta{
	ID:       "life/uninstalled",
	Checks:   "Uninstalling the driver removes its ResourceSlices, sockets, CDI files and checkpoints.",
	Requires: []spec.RequirementID{"kubeletplugin/clean-shutdown", "kep-4381/slices-removed", "kep-4381/driver-publishes-own-slices"},
	Needs:    spec.Needs{Devices: 1, DriverPods: true, Disruption: true, Hooks: []spec.HookName{spec.HookInstall, spec.HookUninstall}},
	WaitsFor: "A kubelet removes the slices of a stopped driver after 30 s " +
		"(k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/manager.go).",
	SerialBecause: endsDriver,
	Timeout:       8 * time.Minute,
}, Run: func(t *harness.T) {
	driver, node := undertest.Of(t), t.Nodes[0]
	before := driver.Devices(node)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	t.RunPod(objects.OnlyOn(t.Pod("pod", "claim"), node))
	t.Driver.ExpectDevices("pod", "main", t.WaitAllocated("claim"))
	t.RemovePod("pod")
	t.AwaitReleased("claim")

	driver.Uninstall()

	driver.ExpectGone()
	driver.Install()
	driver.AwaitSame(node, before)
	t.Create(objects.Claim("next", t.Driver.Request("req")))
	t.RunPod(objects.OnlyOn(t.Pod("next", "next"), node))
	t.Driver.ExpectDevices("next", "main", t.WaitAllocated("next"))
	t.RemovePod("next")
	t.AwaitReleased("next")
}}
