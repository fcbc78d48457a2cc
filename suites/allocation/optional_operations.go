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
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/whatif"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OptionalOperations allocates devices of slices with and without skipped operations.
var OptionalOperations = harness.Case{Meta: spec.Meta{
	ID:       "allocation/optional-operations",
	Checks:   "An allocation keeps the operations to skip that each device's slice had at allocation.",
	Requires: []spec.RequirementID{"kep-5945/operations-copied"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.OptionalOperations}},
}, Run: func(t *harness.T) {
	const unprepare, all = resourceapi.SkipNodeOperationNodeUnprepareResources, resourceapi.SkipNodeOperationAll
	class := t.CreateClass(nil)
	slice := t.Slice("skips", t.Nodes[0], device("a", nil))
	slice.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{unprepare}
	t.Create(slice)
	t.Publish("skips-not", t.Nodes[0], device("b", nil))
	skipped := func(name string) map[string][]resourceapi.SkipNodeOperation {
		operations := map[string][]resourceapi.SkipNodeOperation{}
		for _, r := range t.Claim(name).Status.Allocation.Devices.Results {
			operations[r.Device] = r.SkipNodeOperations
		}
		return operations
	}

	use(t, objects.Claim("claim", count("req", class, 2)))
	before := map[string][]resourceapi.SkipNodeOperation{"a": {unprepare}, "b": nil}
	t.Expect(skipped("claim")).To(gomega.Equal(before), "operations in the allocation")
	wait(t, objects.Claim("next", count("req", class, 3)))
	edit.Slice(t, slice.Name, func(s *resourceapi.ResourceSlice) {
		s.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{all}
		s.Spec.Devices = append(s.Spec.Devices, device("c", nil)) // otherwise there are too few for the next claim
	})
	t.Expect(skipped("claim")).To(gomega.Equal(before), "operations in the allocation when the slice has others")
	release(t, "claim")
	used(t, "next")
	t.Expect(skipped("next")).To(gomega.Equal(map[string][]resourceapi.SkipNodeOperation{"a": {all}, "b": nil, "c": {all}}), "operations when the slice has others")
}}

// OptionalOperationsUndeclared has a node with a kubelet not skipping any operation.
var OptionalOperationsUndeclared = harness.Case{Meta: spec.Meta{
	ID:       "allocation/optional-operations-undeclared",
	Checks:   "A device with operations to skip is not used on a node whose kubelet does not declare that it skips them.",
	Requires: []spec.RequirementID{"kep-5945/feature-declared"},
	Needs:    spec.Needs{NoKubelet: true, Alone: true, Features: []spec.Feature{spec.OptionalOperations}},
	// Other pods could go there.
	SerialBecause: "It adds a node without a kubelet.",
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	skips := t.Slice("skips", "", device("a", map[string]any{"skips": 1}), device("b", map[string]any{"skips": 1}))
	skips.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
	t.Create(skips)
	t.Publish("skips-not", "", device("c", map[string]any{"skips": 0}))
	whatif.AddBareNode(t, whatif.NodeGroup(t, "undeclared"), t.Namespace)
	claim := func(name string, skips int) *resourceapi.ResourceClaim {
		return objects.Claim(name, objects.Request("req", class, fmt.Sprintf("%s == %d", t.Attribute("skips"), skips)))
	}
	there := func(name, claim string) *corev1.Pod {
		pod := objects.Pod(name, t.Image, claim)
		whatif.OnAdded(t, &pod.Spec)
		return pod
	}

	t.Create(claim("other", 0), there("other", "other"))
	t.Expect(t.WaitScheduled("other").Spec.NodeName).To(gomega.Equal(t.Namespace), "node of the pod with an ordinary device")
	t.Create(claim("new", 1), there("new", "new"))
	t.WaitUnschedulable("new", noDevices)
	use(t, claim("shared", 1))
	t.Create(there("second", "shared"))
	t.WaitUnschedulable("second", "not available on the node")
}}
