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

package node

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DriverAway starts pods while their driver is down. Pods with an unprepared claim and pods joining
// a prepared one both wait and name the driver. A prepared claim is not prepared again.
var DriverAway = harness.Case{Meta: spec.Meta{
	ID:       "node/driver-away",
	Checks:   "While a driver is down, running pods keep their devices, and new pods wait and start when it returns.",
	Requires: []spec.RequirementID{"kubeletplugin/prepared-pod-starts-without-driver", "kubeletplugin/driver-away-spares-running-pods"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("prepared", objects.Request("req", class)), objects.Claim("new", objects.Request("req", class)))
	before := t.RunPod(objects.Pod("before", t.Image, "prepared")).Status.ContainerStatuses[0]
	device := t.Claim("prepared").Status.Allocation.Devices.Results[0].Device

	simdriver.Of(t).Disconnect()
	// This pod proves the kubelet has noticed the driver's absence.
	t.Create(objects.Pod("new", t.Image, "new"))
	t.WaitEvent("new", notPrepared, t.DriverName()+" is not registered")
	t.Create(objects.Pod("joins", t.Image, "prepared"))
	t.WaitEvent("joins", notPrepared, t.DriverName()+" is not registered")
	simdriver.Of(t).Connect()

	for _, pod := range []string{"joins", "new"} {
		t.WaitRunning(pod)
	}
	after := t.WaitRunning("before").Status.ContainerStatuses[0]
	t.Expect(after.ContainerID).To(gomega.Equal(before.ContainerID), "the container from before")
	t.Expect(after.RestartCount).To(gomega.BeZero(), "restarts of the container from before")
	simdriver.Of(t).ExpectCalls(spec.Prepare, "prepared", 1, "as it is prepared already")
	simdriver.Of(t).ExpectCalls(spec.Unprepare, "prepared", 0, "as its pod runs")
	t.Expect(t.Environment("joins", "main")).To(matchers.SeeOnlyDevices(device), "device of the pod that joined")
	t.Expect(t.Environment("new", "main")).To(matchers.SeeRequest("new", "req"), "device of the new pod")
}}
