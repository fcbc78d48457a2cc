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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// MildEffects taints devices in use with other effects. One of the pods was bound without the
// scheduler. Another pod's device gets NoExecute at the same time.
var MildEffects = harness.Case{Meta: spec.Meta{
	ID:       "eviction/mild-effects",
	Checks:   "Taints with the effect NoSchedule or None evict no pod, and None does not prevent allocation.",
	Requires: []spec.RequirementID{"kep-5055/effect-none", "kep-5055/no-schedule-keeps-running"},
	Needs:    spec.Needs{NoKubelet: true, Since: "1.36", Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	users(t, class, "pool", t.Nodes[0], "no-schedule", "none", "no-execute")
	t.Publish("more", t.Nodes[0], named("put"), named("free-no-schedule"), named("free-none"))
	claim := objects.Claim("put", objects.Request("req", class))
	claim.Finalizers = []string{resourceapi.Finalizer}
	put := objects.Pod("put", t.Image, "put")
	put.Spec.NodeName = t.Nodes[0]
	t.Create(claim)
	edit.ClaimStatus(t, "put", func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: t.DriverName(), Pool: "more", Device: "put"}},
		}}
	})
	t.Create(put)
	t.WaitClaim("put", "reserved", func(c *resourceapi.ResourceClaim) bool { return len(c.Status.ReservedFor) == 1 })

	noSchedule, none := broken(resourceapi.DeviceTaintEffectNoSchedule), broken(resourceapi.DeviceTaintEffectNone)
	taint(t, "more", map[string]resourceapi.DeviceTaint{"put": noSchedule, "free-no-schedule": noSchedule, "free-none": none})
	taint(t, "pool", map[string]resourceapi.DeviceTaint{"no-schedule": noSchedule, "none": none, "no-execute": broken(resourceapi.DeviceTaintEffectNoExecute)})

	t.WaitPodGone("no-execute")
	t.WaitDeallocated("no-execute")
	scheduler.AwaitSeen(t)
	t.Create(objects.Claim("free", objects.Request("req", class)), objects.Pod("free", t.Image, "free"))
	t.WaitScheduled("free")
	t.Expect(t.Claim("free")).To(matchers.HaveDevices("free-none"), "the only free device for the pod")
	t.Create(objects.Claim("too-many", objects.Request("req", class)), objects.Pod("too-many", t.Image, "too-many"))
	t.WaitUnschedulable("too-many", "cannot allocate all claims")
	stays(t, "no-schedule", "none", "put")
}}
