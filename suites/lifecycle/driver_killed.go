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

// DriverKilled is about: kubernetes-sigs/dranet#89, kubernetes/kubernetes#132660. It is fair to all
// kubelets: they retry failed prepare calls. No sockets are left behind.
var DriverKilled = harness.Case{Meta: spec.Meta{
	ID:     "life/driver-killed",
	Checks: "A pod keeps its device when the driver is killed, and a new pod gets one from the next process.",
	Requires: []spec.RequirementID{
		"kubeletplugin/other-process-unprepares", "kep-4381/prepare-idempotent", "kep-4381/unprepare-undoes-prepare",
	},
	Needs:         spec.Needs{Devices: 2, DriverPods: true, Disruption: true},
	SerialBecause: endsDriver,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	slices := driver.WatchSlices()
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))
	before := driver.Sockets(pod.Spec.NodeName)

	driver.Kill(pod.Spec.NodeName)

	goesOn(t, driver, pod, t.WaitAllocated("claim"))
	// A killed process leaves its sockets to the next one. A new pod also avoids the kubelet's
	// backoff for restarted containers.
	driver.Replace(pod.Spec.NodeName)
	noMore(t, before, driver.Sockets(pod.Spec.NodeName))
	slices.ExpectSound()
}}
