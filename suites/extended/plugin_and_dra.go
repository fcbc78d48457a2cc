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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PluginAndDRA has a container request two extended resources. On one of two nodes, a device plugin
// serves the first. The request's name has the index among both. Once the plugin's devices are used
// up, the next pod waits despite free DRA devices.
var PluginAndDRA = harness.Case{Meta: spec.Meta{
	ID:     "extended/plugin-and-dra",
	Checks: "The special claim requests only the extended resources not in the node's capacity.",
	Requires: []spec.RequirementID{
		"kep-5004/request-per-container-and-resource", "kep-5004/request-of-matching-class", "kep-5004/request-name-form", "kep-5004/claim-in-pod-status",
		"kep-5004/node-with-device-plugin-by-capacity", "kep-5004/one-kind-per-node", "kep-5004/nodes-of-both-kinds", "kep-5004/node-capacity-change-retries",
	},
	Needs: spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}, Nodes: 2},
}, Run: func(t *harness.T) {
	plugin, dra := t.Nodes[0], t.Nodes[1]
	counted, device := countedClass(t), createClass(t)
	class := map[string]string{counted: t.DriverName() + ".counted", device: t.DriverName()}
	for _, node := range t.Nodes {
		t.Publish(node, node, deviceOf("device-0"), deviceOf("device-1"))
	}
	countOn(t, plugin, corev1.ResourceName(counted), 1)
	pod := func(name string, numbers map[string]int64) *corev1.Pod {
		return objects.OnlyOn(objects.PodWanting(name, t.Image, numbers), plugin, dra)
	}
	both := map[string]int64{counted: 1, device: 1}
	wants := map[string]map[string]string{ // the possibly counted resource sorts first by name
		plugin: {device: "container-0-request-1"},
		dra:    {counted: "container-0-request-0", device: "container-0-request-1"},
	}

	t.Create(pod("first", both), pod("second", both))
	var nodes []string
	for _, name := range []string{"first", "second"} {
		p := t.WaitScheduled(name)
		nodes = append(nodes, p.Spec.NodeName)
		status := p.Status.ExtendedResourceClaimStatus
		t.Expect(status).NotTo(gomega.BeNil(), "the claim in the status of pod %s", name)
		mapped, served := map[string]string{}, map[string]string{}
		for _, m := range status.RequestMappings {
			mapped[m.ResourceName] = m.RequestName
		}
		t.Expect(mapped).To(gomega.Equal(wants[p.Spec.NodeName]), "requests mapped to resources of pod %s on node %s", name, p.Spec.NodeName)
		claim := t.WaitAllocated(status.ResourceClaimName)
		for _, r := range claim.Spec.Devices.Requests {
			served[r.Name] = r.Exactly.DeviceClassName
		}
		for resource, request := range mapped {
			t.Expect(served).To(gomega.HaveKeyWithValue(request, class[resource]), "class of the request for %s", resource)
		}
		t.Expect(claim.Status.Allocation.Devices.Results).To(gomega.HaveLen(len(mapped)), "devices of pod %s", name)
	}
	t.Expect(nodes).To(gomega.ConsistOf(plugin, dra), "nodes of the two pods")

	t.Create(pod("late", both))
	t.WaitUnschedulable("late", "Insufficient "+counted)
	t.Create(pod("less", map[string]int64{device: 1}))
	t.Expect(t.WaitScheduled("less").Spec.NodeName).To(gomega.Equal(plugin), "node of a pod for the remaining device")

	t.Create(objects.OnlyOn(objects.PodWanting("counted", t.Image, map[string]int64{counted: 1}), plugin))
	t.WaitUnschedulable("counted", "Insufficient "+counted)
	t.NoError(count(t.Context(), t, plugin, corev1.ResourceName(counted), ptr.To("2")), "raise the capacity of node %s", plugin)
	t.WaitRetried("counted")
}}

// countedClass creates a second class of the case's driver and returns its extended resource name.
// A device plugin may serve it, too.
func countedClass(t *harness.T) (resource string) {
	resource = t.DriverName() + "/counted"
	t.CreateClass(func(c *resourceapi.DeviceClass) {
		c.Name += ".counted"
		c.Spec.ExtendedResourceName = &resource
	})
	return resource
}
