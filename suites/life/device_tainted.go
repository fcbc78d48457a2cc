package life

import (
	"context"
	"fmt"
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
	Timeout:       5 * time.Minute,
}, Run: func(t *harness.T) {
	driver := t.Installed()
	t.Create(objects.Claim("claim", t.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	before := taintsOf(t, claim)

	driver.MakeUnhealthy(claim)
	var taints []resourceapi.DeviceTaint
	if !t.Within(time.Minute, "the driver to taint the device", func(context.Context) (bool, string, error) {
		taints = taintsOf(t, claim)
		return len(taints) > len(before), fmt.Sprintf("taints %v", taints), nil
	}) {
		t.Blockedf("hooks.%s had the driver taint nothing within a minute: have it break what the driver answers with a taint, or declare feature %s as false", spec.HookMakeUnhealthy, spec.DriverTaints)
	}
	if repels(taints) {
		t.Create(objects.Claim("other", t.Request("req")))
		t.Create(objects.OnlyOn(t.Pod("other", "other"), node))
		had := claim.Status.Allocation.Devices.Results[0]
		t.WaitPod("other", "scheduled or not", func(p *corev1.Pod) (bool, error) {
			return p.Spec.NodeName != "" || harness.Unschedulable(p, ""), nil
		})
		if other := t.Claim("other"); other.Status.Allocation != nil {
			t.Expect(other.Status.Allocation.Devices.Results).NotTo(gomega.ContainElement(gomega.And(gomega.HaveField("Pool", had.Pool), gomega.HaveField("Device", had.Device))),
				"devices of a pod that does not tolerate taints %v", taints)
		}
		t.RemovePod("other")
	}
	driver.Heal(claim)
	t.Poll("the driver to take the taint away", func(context.Context) (bool, string, error) {
		taints = taintsOf(t, claim)
		return len(taints) <= len(before), fmt.Sprintf("taints %v", taints), nil
	})
	again(t, claim, node)
}}

// taintsOf are the taints of the device that a claim had.
func taintsOf(t *harness.T, claim *resourceapi.ResourceClaim) []resourceapi.DeviceTaint {
	had := claim.Status.Allocation.Devices.Results[0]
	for _, pool := range t.Pools() {
		for _, d := range pool.Devices() {
			if pool.Name == had.Pool && d.Name == had.Device {
				return d.Taints
			}
		}
	}
	return nil
}

func repels(taints []resourceapi.DeviceTaint) bool {
	for _, taint := range taints {
		if taint.Effect != resourceapi.DeviceTaintEffectNone {
			return true
		}
	}
	return false
}
