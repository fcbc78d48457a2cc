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
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// stepsUnder is the reason to keep these cases out of shared clusters.
const stepsUnder = "Each step replaces a component under all pods."

// DriverUnderTestRuns runs a pod with a vendor driver's device on each node through all steps.
var DriverUnderTestRuns = Case{
	Meta: spec.Meta{
		ID:            "upgrade/installed-runs",
		Checks:        "A pod with a vendor driver's device keeps it through every step without a container restart.",
		Requires:      []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/unprepare-after-last"},
		Needs:         spec.Needs{Nodes: 2, Devices: 1, DriverPods: true, Disruption: true},
		SerialBecause: stepsUnder,
	},
	Before: func(t *harness.T, n *Notes) {
		for _, node := range t.Nodes {
			runDevicePod(t, n, node, node)
		}
	},
	After:    func(t *harness.T, n *Notes, _ path.Step) { n.unchanged(t) },
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, n *Notes) {
		for _, node := range t.Nodes {
			endDevicePod(t, n, node)
		}
		t.Driver.AwaitUnprepared()
	},
}

// DriverUnderTestServes creates a pod before each step and deletes it after the step.
var DriverUnderTestServes = Case{
	Meta: spec.Meta{
		ID:            "upgrade/installed-serves",
		Checks:        "A pod with a vendor driver's device can be deleted after a step, and the next pod on the node gets a device.",
		Requires:      []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/deallocate-after-last", "kep-4381/older-kubelet-works", "kep-4381/pods-across-versions"},
		Needs:         spec.Needs{Nodes: 2, Devices: 2, DriverPods: true, Disruption: true}, // one is held by DriverUnderTestRuns
		SerialBecause: stepsUnder,
	},
	Before: serveRound,
	After: func(t *harness.T, n *Notes, _ path.Step) {
		n.unchanged(t)
		unserveRound(t, n)
	},
	Anew: func(t *harness.T, n *Notes, _ path.Step) { serveRound(t, n) },
	Gone: unserveRound,
}

func serveRound(t *harness.T, n *Notes) {
	n.Round++
	for _, node := range t.Nodes {
		runDevicePod(t, n, inRound(n, node), node)
	}
}

func unserveRound(t *harness.T, n *Notes) {
	for _, node := range t.Nodes {
		endDevicePod(t, n, inRound(n, node))
	}
	t.Driver.AwaitUnprepared()
}

// runDevicePod runs a pod with a claim of the same name on a node.
func runDevicePod(t *harness.T, n *Notes, name, node string) {
	t.Create(objects.Claim(name, t.Driver.Request("req")))
	t.RunPod(objects.OnlyOn(t.Pod(name, name), node))
	n.note(t, name, name)
}

// endDevicePod deletes the objects of runDevicePod.
func endDevicePod(t *harness.T, n *Notes, name string) {
	t.RemovePod(name)
	t.WaitDeallocated(name)
	deleteClaim(t, name)
	n.forget(name, name)
}
