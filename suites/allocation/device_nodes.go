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
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceNodes publishes a pool with node names per device.
var DeviceNodes = harness.Case{Meta: spec.Meta{
	ID:       "allocation/device-nodes",
	Checks:   "A pod gets only those devices of a pool that are for its node: by name, by selector or for all nodes.",
	Requires: []spec.RequirementID{"kep-4815/device-on-own-nodes"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	byName, bySelector, forAll, other := device("by-name", nil), device("by-selector", nil), device("for-all", nil), device("other", nil)
	byName.NodeName, other.NodeName = &t.Nodes[0], &t.Nodes[1]
	bySelector.NodeSelector = objects.Nodes(t.Nodes[0])
	forAll.AllNodes = ptr.To(true)
	pool := t.Slice("pool", "", other, byName, bySelector, forAll)
	pool.Spec.AllNodes, pool.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
	t.Create(pool)
	on := func(node string, claim *resourceapi.ResourceClaim) {
		t.Create(claim, objects.OnlyOn(objects.Pod(claim.Name, t.Image, claim.Name), node))
	}

	on(t.Nodes[0], objects.Claim("all", all("req", class)))
	t.Expect(used(t, "all")).To(matchers.HaveDevices("by-name", "by-selector", "for-all"), "all devices of the first node")
	on(t.Nodes[0], objects.Claim("one-more", objects.Request("req", class)))
	t.WaitUnschedulable("one-more", noDevices)
	on(t.Nodes[1], objects.Claim("there", objects.Request("req", class)))
	t.Expect(used(t, "there")).To(matchers.HaveDevices("other"), "device of the second node")
	release(t, "all")
	t.Expect(used(t, "one-more")).NotTo(matchers.HaveDevices("other"), "device of the first node")
}}
