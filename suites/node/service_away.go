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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ServiceAway registers a driver before its endpoint listens, and later removes the endpoint while
// the registration socket stays. Pods created meanwhile start, running pods continue, and all
// claims are unprepared.
var ServiceAway = harness.Case{Meta: spec.Meta{
	ID:       "node/service-away",
	Checks:   "The kubelet registers a driver before its endpoint is served, and reconnects after the endpoint was away.",
	Requires: []spec.RequirementID{"plugin-api/service-apart-from-registration", "kubeletplugin/driver-away-spares-running-pods"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices()},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout + 2*time.Minute, // two pods
}, Run: func(t *harness.T) {
	class, node := t.CreateClass(nil), t.Nodes[0]
	t.Create(objects.Claim("first", objects.Request("req", class)), objects.Claim("second", objects.Request("req", class)))
	simdriver.Of(t).Disconnect()
	simdriver.Of(t).Serve(false)
	simdriver.Of(t).Connect()
	t.Create(objects.OnlyOn(objects.Pod("first", t.Image, "first"), node))
	t.WaitEvent("first", notPrepared, "")
	simdriver.Of(t).Serve(true)
	before := t.WaitRunning("first").Status.ContainerStatuses[0]
	t.Driver.ExpectDevices("first", "main", t.Claim("first"))

	simdriver.Of(t).Serve(false)
	t.Create(objects.OnlyOn(objects.Pod("second", t.Image, "second"), node))
	t.WaitEvent("second", notPrepared, "")
	simdriver.Of(t).Serve(true)

	t.WaitRunning("second")
	t.Driver.ExpectDevices("second", "main", t.Claim("second"))
	t.Expect(t.WaitRunning("first").Status.ContainerStatuses[0].ContainerID).To(gomega.Equal(before.ContainerID), "the container expected to keep running")
	for _, pod := range []string{"first", "second"} {
		simdriver.Of(t).ExpectCalls(spec.Prepare, pod, 1, "")
		t.RemovePod(pod)
	}
	t.Driver.AwaitUnprepared()
}}
