package life

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceTainted has the driver taint a device that nobody uses.
var DeviceTainted = harness.Case{Meta: spec.Meta{
	ID: "life/device-tainted",
	Checks: "When a device is made unhealthy the driver taints it in its ResourceSlice, where no more pods get it if that is what the taint's effect says; when it is healed, the taint is taken " +
		"away without a restart of the driver, and the device serves another pod.",
	Requires: []spec.RequirementID{"kep-5055/tolerated-or-not"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.DeviceTaints}, Devices: 1, Installed: true, Disruption: true,
		DriverFeatures: []spec.DriverFeature{spec.DriverTaints}, Hooks: []spec.HookName{spec.HookMakeUnhealthy, spec.HookHeal},
	},
	WaitsFor:      "How soon a driver notices is its vendor's to say.",
	SerialBecause: "It breaks a device of the node.",
	Timeout:       8 * time.Minute,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	t.Create(objects.Claim("claim", t.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	before, _ := taintsOf(t, claim)

	driver.MakeUnhealthy(claim, node)
	var added []resourceapi.DeviceTaint
	if !t.Within(tainting, "the driver to taint the device", func(context.Context) (bool, string, error) {
		now, there := taintsOf(t, claim)
		added = newTaints(before, now)
		return there && len(added) > 0, fmt.Sprintf("published: %t, taints %v", there, now), nil
	}) {
		t.Blockedf("the driver tainted nothing within %s of hooks.%s, so that it cannot be seen that it taints: have the hook break something that the driver answers with a taint", tainting, spec.HookMakeUnhealthy)
	}
	if slices.ContainsFunc(added, objects.Repels) {
		t.AwaitSeen()
		t.Create(objects.Claim("other", t.Request("req")))
		t.Create(objects.OnlyOn(t.Pod("other", "other"), node))
		t.WaitPod("other", "scheduled or not", func(p *corev1.Pod) (bool, error) {
			return p.Spec.NodeName != "" || harness.Unschedulable(p, "cannot allocate all claims"), nil
		})
		if other := t.Claim("other"); other.Status.Allocation != nil {
			had := claim.Status.Allocation.Devices.Results[0]
			t.Expect(other.Status.Allocation.Devices.Results).NotTo(gomega.ContainElement(gomega.And(gomega.HaveField("Pool", had.Pool), gomega.HaveField("Device", had.Device))),
				"devices of a pod that does not tolerate taints %v", added)
		}
		t.RemovePod("other")
	}
	driver.Heal(claim, node)
	t.Poll("the driver to publish the device without the taint", func(context.Context) (bool, string, error) {
		now, there := taintsOf(t, claim)
		return there && len(newTaints(before, now)) == 0, fmt.Sprintf("published: %t, taints %v", there, now), nil
	})
	again(t, claim, node)
}}

// tainting is what a driver gets to notice that a device is unhealthy.
const tainting = 3 * time.Minute

// taintsOf are the taints of the device that a claim had, and whether it is published.
func taintsOf(t *harness.T, claim *resourceapi.ResourceClaim) (taints []resourceapi.DeviceTaint, there bool) {
	had := claim.Status.Allocation.Devices.Results[0]
	_, device, there := t.FindDevice(had.Pool, had.Device)
	return device.Taints, there
}

// newTaints are those of now that were not there before.
func newTaints(before, now []resourceapi.DeviceTaint) []resourceapi.DeviceTaint {
	return slices.DeleteFunc(slices.Clone(now), func(n resourceapi.DeviceTaint) bool {
		return slices.ContainsFunc(before, func(b resourceapi.DeviceTaint) bool {
			return b.Key == n.Key && b.Value == n.Value && b.Effect == n.Effect
		})
	})
}
