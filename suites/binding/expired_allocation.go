package binding

import (
	"regexp"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ExpiredAllocation schedules pods with claims that another scheduler has allocated before it
// went away: too long ago, and just now.
var ExpiredAllocation = harness.Case{Meta: spec.Meta{
	ID: "binding/expired-allocation",
	Checks: "An allocation of another scheduler whose device was not ready in time is given up at once for a pod that needs the claim, which never waits " +
		"for that device and is bound to the node whose device becomes ready; for a device that was allocated just now, a pod waits, and is bound there.",
	Requires: []spec.RequirementID{"kep-5007/restart-recovers", "kep-5007/timeout-reschedules"},
	Needs:    spec.Needs{Features: features(), Profile: profiles.FabricDevice(), Nodes: 2},
	Catches:  []spec.MutantID{"driver-prepare-other-device"},
}, Run: func(t *harness.T) {
	silent, ready := t.Nodes[0], t.Nodes[1]
	class := t.CreateClass(nil)
	allocate(t, class, "claim", silent, 24*time.Hour)
	t.Driver.PublishOn(silent, profiles.Empty())
	t.Driver.Fabric(ready, attached()...)

	pod := t.RunPod(objects.Pod("pod", t.Image, "claim"))

	t.Expect(pod.Spec.NodeName).To(gomega.Equal(ready), "node of the pod")
	events := t.Events("pod")
	t.Expect(events).NotTo(gomega.ContainElement(gomega.MatchRegexp(`^BindingConditionsPending: .*%s(\s|$)`, regexp.QuoteMeta(silent))), "pod waited for the silent device")
	t.Expect(events).NotTo(gomega.ContainElement(gomega.ContainSubstring("device binding timeout")), "pod waited until the time was up")
	t.Expect(t.Claim("claim")).To(matchers.HaveDevicesFrom(ready), "pool of the device")
	t.Expect(t.Environment("pod", "main")).To(matchers.SeeOnlyDevices("device-0"), "devices of the container")

	t.RemovePod("pod") // so that there is another device that is ready
	t.Driver.PublishOn(silent, profiles.FabricDevice())
	allocate(t, class, "fresh", silent, 0)
	t.Create(objects.Pod("fresh", t.Image, "fresh"))
	t.WaitEvent("fresh", "BindingConditionsPending", silent)
	t.Driver.Fabric(silent, attached()...)
	t.Expect(t.WaitRunning("fresh").Spec.NodeName).To(gomega.Equal(silent), "node of the pod with the claim that was allocated just now")
	t.Expect(t.Claim("fresh")).To(matchers.HaveDevicesFrom(silent), "pool of the device that was allocated just now")
}}

// allocate creates a claim that a scheduler has allocated a device of a node so long ago.
func allocate(t *harness.T, class, name, node string, ago time.Duration) {
	claim := objects.Claim(name, objects.Request("req", class))
	claim.Finalizers = []string{resourceapi.Finalizer}
	t.Create(claim)
	t.Step("allocate claim %s on %s as a scheduler did %s ago", name, node, ago)
	claim.Status.Allocation = &resourceapi.AllocationResult{
		AllocationTimestamp: &metav1.Time{Time: time.Now().Add(-ago)},
		NodeSelector:        objects.OnlyOn(objects.Pod("", ""), node).Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
		Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
			Request: "req", Driver: t.Driver.Name, Pool: node, Device: "device-0",
			BindingConditions: []string{profiles.Attached, profiles.Configured}, BindingFailureConditions: []string{profiles.AttachFailed},
		}}},
	}
	_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	t.NoError(err, "allocate claim %s", name)
}
