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

package extended

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LeftOverClaim leaves a special claim of an earlier attempt on an unsuitable node. The pod runs
// elsewhere.
var LeftOverClaim = harness.Case{Meta: spec.Meta{
	ID:       "extended/left-over-claim",
	Checks:   "A stale special claim is deleted, which frees its device.",
	Requires: []spec.RequirementID{"kep-5004/special-claim-on-other-node", "kep-5004/one-special-claim"},
	Needs:    spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.OneDevice(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	before, now := t.Nodes[0], t.Nodes[1]
	pod := objects.OnlyOn(objects.PodWanting("pod", t.Image, one), now)
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/earlier-attempt"}}
	t.Create(pod)
	allocateSpecial(t, pod, "left", before, "device-0")
	claimsSeen(t)

	edit.Ungate(t, pod.Name)

	running := t.WaitRunning("pod")
	t.WaitClaimGone("left")
	claims := special(t)
	t.Expect(claims).To(gomega.HaveLen(1), "special claims")
	t.Expect(t.Claim(claims[0])).To(gomega.And(matchers.HaveDevicesFrom(now), matchers.BeReservedFor(running)), "the pod's claim")
	t.Expect(running.Status.ExtendedResourceClaimStatus.ResourceClaimName).To(gomega.Equal(claims[0]), "the claim in the pod's status")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "device of the pod")
	t.RunPod(objects.OnlyOn(objects.PodWanting("next", t.Image, one), before))
}}
