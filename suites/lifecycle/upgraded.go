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

// Upgraded is about: kubernetes-sigs/dra-driver-nvidia-gpu#1078. It is fair to all kubelets. The
// new version serves another pod and releases both.
var Upgraded = harness.Case{Meta: spec.Meta{
	ID:            "life/upgraded",
	Checks:        "A pod keeps its device over an upgrade of the driver from the previous version.",
	Requires:      []spec.RequirementID{"kubeletplugin/other-process-unprepares", "kep-4381/unprepare-undoes-prepare", "kep-4381/driver-publishes-own-slices"},
	Needs:         spec.Needs{Devices: 2, DriverPods: true, Disruption: true, Hooks: []spec.HookName{spec.HookUpgrade, spec.HookDowngrade}},
	WaitsFor:      "The driver is replaced on all nodes by hooks of its vendor, twice.",
	SerialBecause: endsDriver,
	Timeout:       8 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	driver.Downgrade()
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	claim := t.WaitAllocated("claim")
	t.Driver.ExpectDevices("pod", "main", claim)

	driver.Upgrade()

	goesOn(t, driver, pod, claim)
}}
