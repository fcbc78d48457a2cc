package core

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllDevices asks for everything that matches.
var AllDevices = harness.Case{Meta: spec.Meta{
	ID:       "core/all-devices",
	Checks:   "A request for all devices gets each device of one node that matches, and no device that does not.",
	Requires: []spec.RequirementID{"kep-4381/allocation-mode-all"},
	Needs:    spec.Needs{Profile: profiles.TwoModels(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	request := objects.Request("req", class, fmt.Sprintf("device.attributes[%q].%s == %q", t.Driver.Name, profiles.Model, "b"))
	request.Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	t.Create(objects.Claim("claim", request))

	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))

	claim := t.WaitAllocated("claim")
	t.Expect(claim).To(matchers.HaveDevices("device-2", "device-3"), "all of model b")
	t.Expect(claim).To(matchers.HaveDevicesFrom(pod.Spec.NodeName), "one node's")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-2", "device-3"), "devices of the container")
}}
