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

// UpdatedInTurn is for drivers not supporting two processes side by side. It is fair to all
// kubelets. The new process continues with the old one's prepared claims.
var UpdatedInTurn = harness.Case{Meta: spec.Meta{
	ID:       "life/updated-in-turn",
	Checks:   "Without rolling update, an update never runs two driver processes on a node, and pods keep their devices.",
	Requires: []spec.RequirementID{"kubeletplugin/no-surge-without-rolling-update", "kubeletplugin/other-process-unprepares", "kubeletplugin/clean-shutdown"},
	Needs: spec.Needs{
		Devices: 2, DriverPods: true, Disruption: true, NoDriverFeatures: []spec.DriverFeature{spec.DriverRollingUpdate},
	},
	WaitsFor:      "A DaemonSet replaces one pod after the other, and each of them only after its minReadySeconds.",
	SerialBecause: endsDriver,
	NoMutant:      "a driver's DaemonSet violates it, not the driver: dra-sim's DaemonSet has a maxSurge and fails it if declared without rolling updates",
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	before := driver.Sockets(pod.Spec.NodeName)

	driver.RollOut().AwaitInTurn()
	driver.AwaitBack(pod.Spec.NodeName)

	goesOn(t, driver, pod, t.WaitAllocated("claim"))
	noMore(t, before, driver.Sockets(pod.Spec.NodeName))
}}
