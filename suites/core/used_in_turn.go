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
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// UsedInTurn hands a claim from one pod to the next.
var UsedInTurn = harness.Case{Meta: spec.Meta{
	ID:       "core/used-in-turn",
	Checks:   "A claim stays allocated and prepared while pods use it in turn, and is released after the last one.",
	Requires: []spec.RequirementID{"kep-4381/share-between-pods", "kep-4381/unprepare-after-last", "kep-4381/deallocate-after-last"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverSharedClaim}},
	Catches:  spec.CatchableFor(spec.Unprepare),
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	t.RunPod(t.Pod("pod-1", "claim"))
	allocation := t.WaitAllocated("claim").Status.Allocation

	for _, turn := range []struct{ next, gone string }{{"pod-2", "pod-1"}, {"pod-3", "pod-2"}} {
		t.RunPod(t.Pod(turn.next, "claim"))
		t.RemovePod(turn.gone)
		claim := t.WaitAllocated("claim")
		t.Expect(claim.Status.Allocation).To(gomega.Equal(allocation), "allocation after %s", turn.gone)
		t.Driver.ExpectHeld(claim)
	}

	t.RemovePod("pod-3")
	t.AwaitReleased("claim")
}}
