package cases

import (
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// stepsUnder says why these cases are not for a cluster that others use.
const stepsUnder = "Each step replaces a component under all pods."

// InstalledRuns has a pod with a device of a vendor's driver on each node from the first step
// to the last.
var InstalledRuns = Case{
	Meta: spec.Meta{
		ID: "upgrade/installed-runs",
		Checks: "A pod with a device of an installed driver lives through every step without a restart of its container, and kubelet and container runtime go on to " +
			"have its device; it is released with the pod.",
		Requires:      []spec.RequirementID{"kep-4381/prepare-before-start", "kep-4381/unprepare-after-last"},
		Needs:         spec.Needs{Nodes: 2, Devices: 1, Installed: true, Disruption: true},
		SerialBecause: stepsUnder,
	},
	Before: func(t *harness.T, n *Notes) {
		for _, node := range t.Nodes {
			runInstalled(t, n, node, node)
		}
	},
	After:    func(t *harness.T, n *Notes, _ path.Step) { n.unchanged(t) },
	Restored: func(t *harness.T, n *Notes) { n.unchanged(t) },
	Gone: func(t *harness.T, n *Notes) {
		for _, node := range t.Nodes {
			endInstalled(t, n, node)
		}
		t.AwaitNothingPrepared()
	},
}

// InstalledServes makes a pod before each step and deletes it after that step.
var InstalledServes = Case{
	Meta: spec.Meta{
		ID: "upgrade/installed-serves",
		Checks: "A pod with a device of an installed driver that was made before a step can be deleted after it, which releases the device, and the next pod on the " +
			"node gets one.",
		Requires:      []spec.RequirementID{"kep-4381/unprepare-after-last", "kep-4381/deallocate-after-last", "kep-4381/older-kubelet-works", "kep-4381/pods-across-versions"},
		Needs:         spec.Needs{Nodes: 2, Devices: 2, Installed: true, Disruption: true}, // one is held by InstalledRuns
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
		runInstalled(t, n, inRound(n, node), node)
	}
}

func unserveRound(t *harness.T, n *Notes) {
	for _, node := range t.Nodes {
		endInstalled(t, n, inRound(n, node))
	}
	t.AwaitNothingPrepared()
}

// runInstalled runs a pod with a claim of the same name on a node.
func runInstalled(t *harness.T, n *Notes, name, node string) {
	t.Create(objects.Claim(name, t.Request("req")))
	t.RunPod(objects.OnlyOn(t.Pod(name, name), node))
	n.note(t, name, name)
}

// endInstalled ends what runInstalled has made.
func endInstalled(t *harness.T, n *Notes, name string) {
	t.RemovePod(name)
	t.WaitDeallocated(name)
	deleteClaim(t, name)
	n.forget(name, name)
}
