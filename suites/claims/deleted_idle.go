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

package claims

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeletedIdle deletes an allocated claim without consumers.
var DeletedIdle = harness.Case{Meta: spec.Meta{
	ID:       "claims/deleted-idle",
	Checks:   "An allocated claim without consumers keeps its device until it is deleted; another pod gets the device then.",
	Requires: []spec.RequirementID{"kep-4381/deleted-idle-claim-goes"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 1)
	allocated(t, "idle", class)
	scheduler.AwaitSeen(t)
	t.Create(objects.Claim("next", objects.Request("req", class)), objects.Pod("next", t.Image, "next"))
	t.WaitUnschedulable("next", "cannot allocate all claims")

	t.Delete(t.Claim("idle"))
	t.WaitClaimGone("idle")
	t.WaitScheduled("next")
}}
