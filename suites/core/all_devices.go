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

package core

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllDevices requests all matching devices.
var AllDevices = harness.Case{Meta: spec.Meta{
	ID:       "core/all-devices",
	Checks:   "A request for all devices gets each matching device of the pod's node and no others.",
	Requires: []spec.RequirementID{"kep-4381/allocation-mode-all"},
	Needs:    spec.Needs{Profile: profiles.Empty(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	// With nothing published before, a late scheduler makes pods wait, but does not give them less.
	simdriver.Of(t).PublishOn(t.Nodes[0], profiles.TwoModels())
	simdriver.Of(t).PublishOn(t.Nodes[1], profiles.FourKinds())
	class := t.CreateClass(nil)
	request := objects.Request("req", class, fmt.Sprintf("device.attributes[%q].%s == %q", t.DriverName(), profiles.Model, "b"))
	request.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	want := map[string][]string{"two": {"device-2", "device-3"}, "three": {"device-1", "device-2", "device-3"}}
	for i, name := range []string{"two", "three"} {
		t.Create(objects.Claim(name, request), objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[i]))
	}

	for name, devices := range want {
		pod := t.WaitRunning(name)
		claim := t.WaitAllocated(name)
		t.Expect(claim).To(matchers.HaveDevices(devices...), "all of model b on node %s", pod.Spec.NodeName)
		t.Expect(claim).To(matchers.HaveDevicesFrom(pod.Spec.NodeName), "pools of the devices")
		t.Expect(t.Environment(name, "main")).To(matchers.SeeOnlyDevices(devices...), "devices of the container")
	}
}}
