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
	"slices"

	"github.com/onsi/ginkgo/v2"

	"github.com/dra-conformance/dratest/framework/harness"
)

// waitAllocatedOn waits until claim "claim" is allocated from a node's own pool. It returns this node and
// one of the others.
func waitAllocatedOn(t *harness.T) (node, other string) {
	ginkgo.GinkgoHelper()
	const claim = "claim"
	node = t.WaitAllocated(claim).Status.Allocation.Devices.Results[0].Pool
	i := slices.IndexFunc(t.Nodes, func(n string) bool { return n != node })
	if i < 0 || !slices.Contains(t.Nodes, node) {
		t.Fatalf("claim %s is allocated from pool %q, the case's nodes are %v", claim, node, t.Nodes)
	}
	return node, t.Nodes[i]
}
