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

package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/published"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/harness/undertest"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DeviceTainted makes a free device unhealthy and heals it, without a driver restart. A taint with
// a scheduling effect must keep pods away.
var DeviceTainted = harness.Case{Meta: spec.Meta{
	ID:       "life/device-tainted",
	Checks:   "The driver taints an unhealthy device in its ResourceSlice, and removes the taint when the device is healthy again.",
	Requires: []spec.RequirementID{"kep-5055/tolerated-or-not"},
	Needs: spec.Needs{
		Features: []spec.Feature{spec.DeviceTaints}, Devices: 1, DriverPods: true, Disruption: true,
		DriverFeatures: []spec.DriverFeature{spec.DriverTaints}, Hooks: []spec.HookName{spec.HookMakeUnhealthy, spec.HookHeal},
	},
	WaitsFor:      "How soon a driver notices is its vendor's to say.",
	SerialBecause: "It breaks a device of the node.",
	Timeout:       8 * time.Minute,
}, Run: func(t *harness.T) {
	driver := undertest.Of(t)
	t.Create(objects.Claim("claim", t.Driver.Request("req")))
	node := t.RunPod(t.Pod("pod", "claim")).Spec.NodeName
	claim := t.WaitAllocated("claim")
	t.RemovePod("pod")
	t.AwaitReleased("claim")
	before, _ := taintsOf(t, claim)

	driver.MakeUnhealthy(claim, node)
	var added []resourceapi.DeviceTaint
	if !t.OccursWithin(tainting, "the driver to taint the device", func(context.Context) (bool, string, error) {
		now, there := taintsOf(t, claim)
		added = newTaints(before, now)
		return there && len(added) > 0, fmt.Sprintf("published: %t, taints %v", there, now), nil
	}) {
		t.Blockedf("the driver tainted nothing within %s of hooks.%s, so tainting cannot be observed: have the hook break something the driver reports with a taint", tainting, spec.HookMakeUnhealthy)
	}
	if slices.ContainsFunc(added, objects.Repels) {
		scheduler.AwaitSeen(t)
		t.Create(objects.Claim("other", t.Driver.Request("req")))
		t.Create(objects.OnlyOn(t.Pod("other", "other"), node))
		t.WaitPod("other", "scheduled or not", func(p *corev1.Pod) (bool, error) {
			return p.Spec.NodeName != "" || harness.Unschedulable(p, "cannot allocate all claims"), nil
		})
		if other := t.Claim("other"); other.Status.Allocation != nil {
			had := claim.Status.Allocation.Devices.Results[0]
			t.Expect(other.Status.Allocation.Devices.Results).NotTo(gomega.ContainElement(gomega.And(gomega.HaveField("Pool", had.Pool), gomega.HaveField("Device", had.Device))),
				"devices of a pod without tolerations for taints %v", added)
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

// tainting bounds the driver's reaction to an unhealthy device.
const tainting = 3 * time.Minute

// taintsOf returns the taints of a claim's device, and whether it is published.
func taintsOf(t *harness.T, claim *resourceapi.ResourceClaim) (taints []resourceapi.DeviceTaint, there bool) {
	had := claim.Status.Allocation.Devices.Results[0]
	_, device, there := published.Find(t, had.Pool, had.Device)
	return device.Taints, there
}

// newTaints returns the current taints not present before.
func newTaints(before, now []resourceapi.DeviceTaint) []resourceapi.DeviceTaint {
	return slices.DeleteFunc(slices.Clone(now), func(n resourceapi.DeviceTaint) bool {
		return slices.ContainsFunc(before, func(b resourceapi.DeviceTaint) bool {
			return b.Key == n.Key && b.Value == n.Value && b.Effect == n.Effect
		})
	})
}
