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

package core

import (
	"slices"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// SharedByPods gives one claim to two pods at once.
var SharedByPods = harness.Case{Meta: spec.Meta{
	ID:       "core/shared-by-pods",
	Checks:   "Two pods sharing a claim run on the same node, see the same device and are both its consumers.",
	Requires: []spec.RequirementID{"kep-4381/share-between-pods", "kep-4381/allocation-restricts-node"},
	Needs:    spec.Needs{Profile: profiles.TwoDevices(), Nodes: 2, Devices: 1, DriverFeatures: []spec.DriverFeature{spec.DriverSharedClaim}},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", t.Driver.Request("req")))

	t.Create(t.Pod("first", "claim"), t.Pod("second", "claim"))
	first, second := t.WaitRunning("first"), t.WaitRunning("second")

	t.Expect(second.Spec.NodeName).To(gomega.Equal(first.Spec.NodeName), "nodes of the two pods")
	claim := t.WaitAllocated("claim")
	t.Expect(claim).To(matchers.BeReservedFor(first, second), "consumers")
	for _, pod := range []string{"first", "second"} {
		t.Driver.ExpectDevices(pod, "main", claim)
	}
	// Both might be on one node by chance.
	elsewhere := t.Nodes[slices.IndexFunc(t.Nodes, func(node string) bool { return node != first.Spec.NodeName })]
	t.Create(objects.OnlyOn(t.Pod("elsewhere", "claim"), elsewhere))
	t.WaitUnschedulable("elsewhere", "resourceclaim not available on the node")
}}
