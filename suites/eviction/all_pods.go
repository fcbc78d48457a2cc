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
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllPods taints the devices of pods with claims of different origin. The pod bound to its node with
// an allocated claim is created after the taint.
var AllPods = harness.Case{Meta: spec.Meta{
	ID:       "eviction/all-pods",
	Checks:   "A NoExecute taint evicts pods with template claims, several claims, in other namespaces or bound directly.",
	Requires: []spec.RequirementID{"kep-5055/evict-by-slice", "kep-5055/tainted-claim-deallocated"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], named("template"), named("first"), named("second"), named("elsewhere"), named("put"))
	t.Create(objects.Template("template", claimFor(t, class, "template")), objects.PodFromTemplate("template", t.Image, "template"),
		claimFor(t, class, "first"), claimFor(t, class, "second"), objects.Pod("two", t.Image, "first", "second"))
	t.WaitScheduled("template")
	t.WaitScheduled("two")
	other := otherNamespace(t)
	runIn(t, other, claimFor(t, class, "elsewhere"))

	taints := map[string]resourceapi.DeviceTaint{}
	for _, name := range []string{"template", "first", "second", "elsewhere", "put"} {
		taints[name] = broken(resourceapi.DeviceTaintEffectNoExecute)
	}
	taint(t, "pool", taints)
	t.WaitPodGone("template")
	t.WaitPodGone("two")
	t.WaitDeallocated("first")
	t.WaitDeallocated("second")
	waitGoneFrom(t, other, "elsewhere")

	put := claimFor(t, class, "put")
	put.Finalizers = []string{resourceapi.Finalizer}
	t.Create(put)
	allocate(t, "put", "pool")
	pod := objects.Pod("put", t.Image, "put")
	pod.Spec.NodeName = t.Nodes[0]
	t.Create(pod)
	t.WaitPodGone("put")
	t.WaitDeallocated("put")
}}

// allocate allocates a pool's device of the same name to a claim and reserves it for these pods, as
// a scheduler would.
func allocate(t *harness.T, claim, pool string, pods ...*corev1.Pod) {
	edit.ClaimStatus(t, claim, func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: t.DriverName(), Pool: pool, Device: claim}},
		}}
		for _, pod := range pods {
			c.Status.ReservedFor = append(c.Status.ReservedFor, objects.Consumer(pod))
		}
	})
}
