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
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ForceDeleted removes a pod's object before the kubelet is done with it.
var ForceDeleted = harness.Case{Meta: spec.Meta{
	ID:       "core/force-deleted",
	Checks:   "The claim of a force-deleted pod is unprepared.",
	Requires: []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/unprepare-force-deleted"},
	Needs:    spec.Needs{Profile: profiles.OneDevice(), Devices: 1},
	// Mutants with wrong answers do not apply: no pod remains in termination.
	Catches: []spec.MutantID{
		"driver-unprepare-claim-error", "driver-unprepare-call-error", "driver-unprepare-hang",
		"driver-unprepare-slow", "driver-unprepare-nothing-done",
	},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	pod := t.RunPod(t.Pod("pod", "claim"))

	t.Step("delete the pod by force")
	t.Delete(pod, harness.GracePeriod(0))

	t.WaitPodGone("pod")
	t.AwaitReleased("claim")
}}
