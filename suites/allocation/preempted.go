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

package allocation

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Preempted has a pod with a claim make room for a more important one with a claim.
var Preempted = harness.Case{Meta: spec.Meta{
	ID:            "allocation/preempted",
	Checks:        "A preempted pod's claim is deallocated, and the more important pod gets a device of the node.",
	Requires:      []spec.RequirementID{"kep-4381/deallocate-after-last", "kep-4381/node-fits-only-if-allocatable"},
	Needs:         spec.Needs{NoKubelet: true, Alone: true},
	SerialBecause: "It uses most of a node's memory.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("a", map[string]any{"slot": 0}), device("b", map[string]any{"slot": 1}))
	pod := func(name, slot string) *corev1.Pod {
		t.Create(objects.Claim(name, objects.Request("req", class, t.Attribute("slot")+" == "+slot)))
		p := objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[0])
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: *part(t, 60)}
		return p
	}
	t.Create(pod("victim", "0"))
	t.WaitScheduled("victim")

	important := pod("important", "1")
	important.Spec.PriorityClassName = createPriority(t)
	t.Create(important)
	t.WaitPod("important", "nominated for the node", func(p *corev1.Pod) (bool, error) {
		return p.Status.NominatedNodeName == t.Nodes[0] || p.Spec.NodeName == t.Nodes[0], nil
	})
	t.WaitEvent("victim", "Preempted", "")
	t.WaitPodGone("victim")
	t.WaitDeallocated("victim")
	t.Expect(used(t, "important")).To(matchers.HaveDevices("b"), "device of the more important pod")
	t.Expect(t.Claim("important").Status.ReservedFor).To(gomega.HaveLen(1), "reservations of its claim")
	t.Expect(use(t, objects.Claim("next", objects.Request("req", class, t.Attribute("slot")+" == 0")))).To(matchers.HaveDevices("a"), "device of the pod after the preempted one")
}}
