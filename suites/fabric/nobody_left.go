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

package fabric

import (
	"time"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/fabric"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimDeletedWhileAttaching deletes pod and claim while their device is being attached.
var ClaimDeletedWhileAttaching = harness.Case{Meta: spec.Meta{
	ID:       "fabric/claim-deleted-while-attaching",
	Checks:   "A device attached for a deleted claim is detached again and published as free.",
	Requires: []spec.RequirementID{"kep-5007/unused-devices-detached", "kep-5007/free-devices-published"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	wanted := binding(1)
	wanted.DetachAfter = 2 * time.Second
	c := fabric.Start(t, wanted).MayReport()
	c.WaitFree(1)
	c.Say(spec.AttachRule{Takes: 5 * time.Second})
	claim, pod := objects.Claim("pod", objects.Request("req", class)), only(t)
	t.Create(claim, pod)
	c.WaitDevices("on the way", one("Attaching", t.Nodes[0]))
	t.Delete(pod)
	t.Delete(claim)
	t.WaitClaimGone("pod")
	c.WaitDevices("attached", one(attached, ""))
	c.WaitNothingLeft()
	c.WaitDevices("free", one(free, ""))
	c.WaitFree(1)
}}
