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
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RollingUpdated is about: kubernetes/kubernetes#128964, kubernetes-sigs/dra-example-driver#113. It
// is fair to all kubelets: since v1.33 they support several instances of a driver. Each node has
// published devices at any time.
var RollingUpdated = harness.Case{Meta: spec.Meta{
	ID:     "life/rolling-updated",
	Checks: "During a rolling update of the driver pods keep their devices, and each call finds a driver.",
	Requires: []spec.RequirementID{
		"kep-4381/seamless-upgrade", "kubeletplugin/other-process-unprepares", "kubeletplugin/clean-shutdown", "kep-4381/driver-publishes-own-slices",
	},
	Needs:         spec.Needs{Devices: 2, DriverPods: true, Disruption: true, DriverFeatures: []spec.DriverFeature{spec.DriverRollingUpdate}},
	WaitsFor:      "A DaemonSet replaces one pod after the other, and each of them only after its minReadySeconds.",
	SerialBecause: endsDriver,
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	slices := driver.WatchSlices()
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	node := pod.Spec.NodeName
	before := driver.Sockets(node)

	update := driver.RollOut()
	for n := 0; !update.Done(); n++ {
		name := fmt.Sprintf("meanwhile-%d", n)
		t.Create(objects.Claim(name, t.Driver.Request("req")))
		t.RunPod(objects.OnlyOn(t.Pod(name, name), node))
		t.Driver.ExpectDevices(name, "main", t.WaitAllocated(name))
		t.RemovePod(name)
		t.WaitDeallocated(name)
	}

	update.ExpectAllAnswered(node)
	goesOn(t, driver, pod, t.WaitAllocated("claim"))
	noMore(t, before, driver.Sockets(node))
	slices.ExpectAlways()
}}
