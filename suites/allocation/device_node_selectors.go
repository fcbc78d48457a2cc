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
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceNodeSelectors publishes a pool with node selectors per device, some for several nodes.
var DeviceNodeSelectors = harness.Case{Meta: spec.Meta{
	ID:       "allocation/device-node-selectors",
	Checks:   "A device that selects several nodes is allocated for all of them, and node requirements of devices are combined.",
	Requires: []spec.RequirementID{"kep-4815/allocation-for-selected-nodes", "kep-4381/allocation-restricts-node"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2, Features: []spec.Feature{spec.PartitionableDevices}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	here, there := t.Nodes[0], t.Nodes[1]
	shared, wide, narrow := device("shared", nil), device("wide", nil), device("narrow", nil)
	linux := []corev1.NodeSelectorRequirement{{Key: corev1.LabelOSStable, Operator: corev1.NodeSelectorOpExists}}
	shared.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: linux}}}
	wide.NodeSelector = shared.NodeSelector
	narrow.NodeSelector = objects.Nodes(there)
	pool := t.Slice("pool", "", shared, wide, narrow)
	pool.Spec.AllNodes, pool.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
	t.Create(pool)
	on := func(pod, claim, node string) *corev1.Pod {
		return objects.OnlyOn(objects.Pod(pod, t.Image, claim), node)
	}

	t.Create(objects.Claim("one", objects.Request("req", class)), on("one-here", "one", here))
	t.WaitScheduled("one-here")
	t.Create(on("one-there", "one", there))
	t.WaitScheduled("one-there")
	one := t.Claim("one")
	t.Expect(one).To(matchers.HaveDevices("shared"), "device of the first claim")
	t.Expect(one.Status.Allocation.NodeSelector).To(gomega.Equal(shared.NodeSelector), "nodes of the first claim")

	two := use(t, objects.Claim("two", count("req", class, 2)))
	t.Expect(two).To(matchers.HaveDevices("wide", "narrow"), "devices of the second claim")
	t.Expect(two.Status.Allocation.NodeSelector).To(gomega.Equal(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: narrow.NodeSelector.NodeSelectorTerms[0].MatchFields, MatchExpressions: linux,
	}}}), "nodes of the second claim")
	t.Create(on("two-here", "two", here))
	t.WaitUnschedulable("two-here", "resourceclaim not available on the node")
}}
