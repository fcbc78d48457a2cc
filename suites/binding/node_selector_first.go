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

package binding

import (
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// NodeSelectorFirst reads the claim of a waiting pod. The fabric needs the node to attach the
// device there.
var NodeSelectorFirst = harness.Case{Meta: spec.Meta{
	ID:       "binding/node-selector-first",
	Checks:   "The allocation of a device with bindsToNode names the node before the pod is bound.",
	Requires: []spec.RequirementID{"kep-5007/node-selector-before-binding", "kep-5007/binds-to-node"},
	Needs:    spec.Needs{NoKubelet: true, Features: features(), Nodes: 2},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	device := conditional("device", profiles.Attached)
	device.BindsToNode = ptr.To(true)
	t.Publish("fabric", "", device)
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.OnlyOn(objects.Pod("pod", t.Image, "claim"), t.Nodes...))

	t.WaitEvent("pod", "BindingConditionsPending", "")
	var node string
	t.WaitClaim("claim", "for one node", func(c *resourceapi.ResourceClaim) bool {
		for _, n := range t.Nodes {
			only := objects.Nodes(n)
			if c.Status.Allocation != nil && equality.Semantic.DeepEqual(c.Status.Allocation.NodeSelector, only) {
				node = n
			}
		}
		return node != ""
	})
	pod := t.PodNow("pod")
	t.Expect(pod.Spec.NodeName).To(gomega.BeEmpty(), "node of the waiting pod")
	t.Expect(ready(t, "pod", "claim").Spec.NodeName).To(gomega.Equal(node), "node of the pod")
}}
