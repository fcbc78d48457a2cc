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

package cases

import (
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ExtendedExplicit has pods requesting their class's extendedResourceName, kept by the class. A
// quota counts the devices by all names.
var ExtendedExplicit = byName{explicit: true}.lives(spec.Meta{
	ID:       "upgrade/extended-explicit",
	Checks:   "Pods with a class's extended resource keep their devices and special claim through every step.",
	Requires: []spec.RequirementID{"kep-5004/explicit-name", "kep-5004/driver-across-versions"},
})

// ExtendedImplicit has pods requesting their class's implicit extended resource. A quota counts the
// devices by all names.
var ExtendedImplicit = byName{}.lives(spec.Meta{
	ID:       "upgrade/extended-implicit",
	Checks:   "Pods with a class's implicit extended resource keep their devices and special claim through every step.",
	Requires: []spec.RequirementID{"kep-5004/implicit-name"},
})

// lives has a pod per node living through the steps, and another one created after each step and
// deleted after the next.
func (b byName) lives(m spec.Meta) Case {
	m.Requires = append(m.Requires, "kep-5004/quota-across-changes", "kep-5004/scenario-1", "kep-5004/scenario-3", "kep-5004/scenario-4",
		"kep-5004/special-claim", "kep-5004/claim-in-pod-status", "kep-5004/claim-gone-with-pod")
	m.Needs = spec.Needs{Features: []spec.Feature{spec.ExtendedResource}, Profile: profiles.TwoDevices(), Nodes: 2}
	return Case{
		Meta: m,
		Before: func(t *harness.T, n *Notes) {
			b.createClass(t)
			b.createQuota(t)
			for _, node := range t.Nodes {
				b.run(t, n, stays(node), node)
			}
			b.runRound(t, n)
		},
		After: func(t *harness.T, n *Notes, step path.Step) {
			n.unchanged(t)
			b.classNamed(t)
			for name := range n.Pods {
				b.specialClaim(t, t.WaitRunning(name))
			}
			if concerns(t, step) {
				endRound(t, n)
				b.waitUsed(t, len(t.Nodes))
			}
		},
		Anew: func(t *harness.T, n *Notes, step path.Step) {
			if concerns(t, step) {
				b.runRound(t, n)
				b.beyondQuota(t)
			}
		},
		Gone: func(t *harness.T, n *Notes) {
			endRound(t, n)
			for name, pod := range n.Pods {
				claim := pod.Extended.ResourceClaimName
				endPod(t, n, name)
				simdriver.Of(t).ExpectCalls(spec.Prepare, claim, 1, "from first to last")
			}
		},
	}
}

func (b byName) runRound(t *harness.T, n *Notes) {
	n.Round++
	for _, node := range t.Nodes {
		b.run(t, n, inRound(n, node), node)
	}
	b.waitUsed(t, 2*len(t.Nodes))
}

func endRound(t *harness.T, n *Notes) {
	for _, node := range t.Nodes {
		endPod(t, n, inRound(n, node))
	}
}
