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

package eviction

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ClaimFreed taints the device of a claim shared by two pods. A later pod waits for a device
// without taint.
var ClaimFreed = harness.Case{Meta: spec.Meta{
	ID:       "eviction/claim-freed",
	Checks:   "When a claim's device gets a NoExecute taint, all its pods are evicted, and the claim is deallocated but stays.",
	Requires: []spec.RequirementID{"kep-5055/tainted-claim-deallocated"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], named("device"))
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Pod("first", t.Image, "claim"), objects.Pod("second", t.Image, "claim"))
	t.WaitScheduled("first")
	t.WaitScheduled("second")
	t.Expect(t.Claim("claim").Status.ReservedFor).To(gomega.HaveLen(2), "reservations")

	taint(t, "pool", map[string]resourceapi.DeviceTaint{"device": broken(resourceapi.DeviceTaintEffectNoExecute)})

	t.WaitPodGone("first")
	t.WaitPodGone("second")
	t.WaitDeallocated("claim")
	scheduler.AwaitSeen(t)
	t.Create(objects.Pod("third", t.Image, "claim"))
	t.WaitUnschedulable("third", "cannot allocate all claims")
	t.Publish("healthy", t.Nodes[0], named("other"))
	t.WaitScheduled("third")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevicesFrom("healthy"), "pool of the device")
}}
