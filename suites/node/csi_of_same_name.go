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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// CSIOfSameName registers a CSI driver under the DRA driver's name, removes it and registers it
// again.
var CSIOfSameName = harness.Case{Meta: spec.Meta{
	ID:       "node/csi-of-same-name",
	Checks:   "The kubelet keeps calling a DRA driver when a CSI driver of the same name registers, goes away and returns.",
	Requires: []spec.RequirementID{"plugin-api/driver-name-unique-per-type"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	class, node := t.CreateClass(nil), t.Nodes[0]
	prepares := func(claim string) {
		t.Create(objects.Claim(claim, objects.Request("req", class)))
		t.RunPod(objects.OnlyOn(objects.Pod(claim, t.Image, claim), node))
		t.Expect(t.Environment(claim, "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of pod %s", claim)
		simdriver.Of(t).ExpectCalls(spec.Prepare, claim, 1, "")
		t.RemovePod(claim)
		t.Driver.AwaitUnprepared()
		t.WaitDeallocated(claim)
	}
	prepares("before")

	simdriver.Of(t).RegisterCSIOn(node)
	prepares("beside")

	simdriver.Of(t).RegisterCSIOn(node) // unregister first
	prepares("after")
}}
