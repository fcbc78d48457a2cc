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
	"time"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SlicesFollowDriver removes two drivers; one of them is reinstalled immediately.
var SlicesFollowDriver = harness.Case{Meta: spec.Meta{
	ID:       "core/slices-follow-driver",
	Checks:   "Slices of a driver that left its node are removed after half a minute, unless it came back in time.",
	Requires: []spec.RequirementID{"kep-4381/slices-removed", "kep-4381/registration"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
	WaitsFor: "The kubelet removes a driver's slices 30 s after its last connection was lost (k8s.io/kubernetes v1.37.1 pkg/kubelet/cm/dra/plugin).",
}, Run: func(t *harness.T) {
	other := simdriver.Second(t, profiles.OneDevice(), nil)
	before := simdriver.Of(t).Slices()
	// The absent driver leaves last: when its slices are removed, the other's would have been.
	simdriver.Of(t).Disconnect()
	other.Disconnect()
	left := time.Now()
	simdriver.Of(t).Connect()

	other.AwaitSlices(0)
	t.Expect(time.Since(left)).To(gomega.BeNumerically(">", almostWiped), "time until the slices of a stopped driver are removed")
	other.Connect()
	other.AwaitSlices(len(t.Nodes))
	t.Create(objects.Class(other.Name, other.Name))
	t.Create(objects.Claim("claim", objects.Request("stayed", t.CreateClass(nil)), objects.Request("again", other.Name)))
	t.RunPod(objects.Pod("pod", t.Image, "claim"))
	t.Expect(t.Environment("pod", "main")).To(gomega.And(matchers.SeeDevices("claim", "stayed", "device-0"), matchers.SeeDevices("claim", "again", "device-0")), "devices of both drivers")
	t.Expect(simdriver.Of(t).Slices()).To(gomega.Equal(before), "names of the slices of the driver that returned in time; new slices get new names")
}}

// almostWiped is a little less than the half minute before slices are removed.
const almostWiped = 25 * time.Second
