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

package sanity

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// devicesPublished is about: kubernetes-sigs/dra-driver-cpu#217, containers/nri-plugins#802,
// cilium/cilium#48922.
var devicesPublished = Check{Meta: spec.Meta{
	ID:       "sanity/devices-published",
	Checks:   "The driver has published at least one device for its node, in complete pools without other nodes' devices.",
	Requires: []spec.RequirementID{"kep-4381/driver-publishes-own-slices", "kep-4381/device-identity"},
}, Source: "kubernetes-sigs/dra-driver-cpu#217, containers/nri-plugins#802, cilium/cilium#48922, kubernetes-sigs/dra-driver-nvidia-gpu#1008", Once: true, Run: func(t *T) {
	problem := ""
	t.await(func(ctx context.Context) bool {
		published, err := t.published(ctx)
		if err != nil {
			// The last attempt fails with the timeout; the earlier problem is more specific.
			problem = cmp.Or(problem, err.Error())
			return false
		}
		problem = fmt.Sprintf("driver %s has published no device for node %s: see its log for errors of the API server", t.Driver, t.Node)
		for _, p := range pools.Of(t.Driver, published) {
			if problem = p.Problem(); problem != "" {
				return false
			}
			if len(p.Devices()) == 0 {
				problem = "pool " + p.Name + " has no device"
			}
		}
		return problem == ""
	})
	if problem != "" {
		t.Failf("%s", problem)
	}
	own, err := t.published(t.ctx)
	t.need(err, "look for slices")
	all, err := t.listed(t.ctx)
	t.need(err, "look for slices of other nodes")
	t.expect(onOtherNodes(own, all), "devices of a pool with a node name are on one node")
}}

// onOtherNodes returns the other nodes with slices in the pools of a node.
func onOtherNodes(own, all []resourceapi.ResourceSlice) []string {
	nodes := map[string]string{}
	for _, s := range own {
		nodes[s.Spec.Pool.Name] = ptr.Deref(s.Spec.NodeName, "")
	}
	var problems []string
	for _, s := range all {
		node, ok := nodes[s.Spec.Pool.Name]
		if other := ptr.Deref(s.Spec.NodeName, ""); ok && other != node {
			problems = append(problems, fmt.Sprintf("pool %s of node %s also has slice %s of node %q", s.Spec.Pool.Name, node, s.Name, other))
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}
