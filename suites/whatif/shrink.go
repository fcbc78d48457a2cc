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

package whatif

import (
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Shrink has two pods share the device of a rack of two nodes, and removes the first one's node: one rack has room
// for the pod on its other node, the other rack has none.
var Shrink = harness.Case{Meta: spec.Meta{
	ID:       "whatif/shrink",
	Checks:   "dra-whatif says whether a node whose pod shares a claim can go, and where the pod is scheduled afterwards.",
	Requires: []spec.RequirementID{simulates},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	group := whatif.NodeGroup(t, "rack")
	far := group.Name + "-far" // has room, and no way to the devices
	whatif.AddBareNode(t, group, far)
	for _, rack := range []struct{ name, cpu string }{{"full", "5"}, {"roomy", "2"}} {
		first, second := group.Name+"-"+rack.name+"-0", group.Name+"-"+rack.name+"-1"
		whatif.AddBareNode(t, group, first)
		t.Create(rackSlice(t, rack.name, first, second), objects.Claim(rack.name, objects.Request("req", class, t.Attribute(profiles.Model)+" == '"+rack.name+"'")))
		wait(t, sharing(t, rack.name, "0"), cpus("5"))
		t.WaitScheduled(rack.name + "-0")
		whatif.AddBareNode(t, group, second)
		wait(t, objects.OnlyOn(sharing(t, rack.name, "1"), second), cpus(rack.cpu))
		t.WaitScheduled(rack.name + "-1")

		predicted := whatif.Shrink(t, first)
		t.Expect(predicted.Pods).To(gomega.HaveLen(1), "pods to move")
		t.Expect(predicted.Possible).To(gomega.Equal(rack.name == "roomy"), "node %s can go", first)
		t.RemovePod(rack.name + "-0")
		removeNode(t, first)
		// The scheduler may not have seen the node's deletion yet, and bind the pod to it.
		wait(t, objects.OnlyOn(sharing(t, rack.name, "0"), second, far), cpus("5"))
		if !predicted.Possible {
			t.WaitUnschedulable(rack.name+"-0", "nodes are available")
			continue
		}
		t.Expect(t.WaitScheduled(rack.name+"-0").Spec.NodeName).To(gomega.Equal(predicted.Pods[0].Node), "node of the moved pod")
	}
}}

// ShrinkIdle removes a node with unused devices, without pods, and with a pod whose claim does not exist.
var ShrinkIdle = harness.Case{Meta: spec.Meta{
	ID:       "whatif/shrink-idle",
	Checks:   "For dra-whatif a node with unused devices can go, unless one of its pods references a missing claim.",
	Requires: []spec.RequirementID{simulates},
	Needs:    needs(),
}, Run: func(t *harness.T) {
	t.CreateClass(nil)
	group := whatif.NodeGroup(t, "idle", profiles.TwoDevices().Pools[0].Devices...)
	node := group.Name + "-0"
	whatif.AddNode(t, group, node)
	predicted := whatif.Shrink(t, node)
	t.Expect(predicted.Possible).To(gomega.BeTrue(), "a node with unused devices can go, blocked by %q", predicted.Blockers)

	pod := objects.Pod("unknown", t.Image, "missing")
	pod.Spec.NodeName = node
	whatif.OnAdded(t, &pod.Spec)
	t.Create(pod)
	predicted = whatif.Shrink(t, node)
	t.Expect(predicted.Possible).To(gomega.BeFalse(), "the node can go although the claim of its pod is missing")
	t.Expect(predicted.Pods).To(gomega.HaveLen(1), "pods to move")
	t.Expect(predicted.Pods[0].Node).To(gomega.BeEmpty(), "node of the pod with a missing claim")
}}

// rackSlice publishes a device of the rack's own model, reachable from two nodes.
func rackSlice(t *harness.T, rack string, nodes ...string) *resourceapi.ResourceSlice {
	slice := t.Slice(rack, "", profiles.Device(0, rack, "8Gi"))
	slice.Spec.AllNodes = nil
	slice.Spec.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: nodes},
	}}}}
	return slice
}

// sharing creates a pod with the rack's claim.
func sharing(t *harness.T, rack, number string) *corev1.Pod {
	return objects.Pod(rack+"-"+number, t.Image, rack)
}

// cpus makes a pod request n CPUs; a node has 8.
func cpus(n string) func(*corev1.PodSpec) {
	return func(pod *corev1.PodSpec) {
		pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(n)}
	}
}

// removeNode removes a node the case has added.
func removeNode(t *harness.T, name string) {
	ginkgo.GinkgoHelper()
	t.Step("remove node %s", name)
	t.Delete(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
}
