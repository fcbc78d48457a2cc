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

// UpdateUndone makes the kubelet call the new process, then the first one again, still running. It
// is fair to all kubelets: since v1.33 they support several instances of a driver. Claims prepared
// before and during the update are unprepared, and nothing is left behind.
var UpdateUndone = harness.Case{Meta: spec.Meta{
	ID:            "life/update-undone",
	Checks:        "An update of the driver can be rolled back while the old and the new process run side by side.",
	Requires:      []spec.RequirementID{"kubeletplugin/instances-share-state", "kubeletplugin/clean-shutdown", "kep-4381/unprepare-undoes-prepare"},
	Needs:         spec.Needs{Devices: 2, DriverPods: true, Disruption: true, DriverFeatures: []spec.DriverFeature{spec.DriverRollingUpdate}},
	WaitsFor:      "A process may take its pod's grace period to terminate.",
	SerialBecause: endsDriver,
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver, node := undertest.Of(t), t.Nodes[0]
	before := driver.Sockets(node)
	run := func(name string) {
		t.Create(objects.Claim(name, t.Driver.Request("req")))
		t.RunPod(objects.OnlyOn(t.Pod(name, name), node))
		t.Driver.ExpectDevices(name, "main", t.WaitAllocated(name))
	}
	gone := func(name string) {
		claim := t.WaitAllocated(name)
		t.RemovePod(name)
		t.AwaitReleased(name)
		driver.ExpectNothingLeft(node, claim)
	}
	run("of-the-first")

	update := driver.RollOutHalfway(node)
	gone("of-the-first")
	run("meanwhile")

	update.Undo(node)
	gone("meanwhile")
	run("afterwards")
	gone("afterwards")
	noMore(t, before, driver.Sockets(node))
}}
