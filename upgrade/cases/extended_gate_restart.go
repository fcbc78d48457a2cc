package cases

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/spec"
)

// ExtendedGateRestart has a container end while the feature is off.
var ExtendedGateRestart = byName{explicit: true}.restarted(spec.Meta{
	ID: "upgrade/extended-gate-restart",
	Checks: "A container with a device that it has by the extended resource that a class names ends while the feature gate is off, and when it is started again it sees " +
		"that device, which is not prepared again.",
	Requires: []spec.RequirementID{"kep-5004/restart-after-gate-off", "kep-5004/scenario-5"},
	KnownIssue: &spec.KnownIssue{
		Issue: "pkg/kubelet/cm/dra/manager.go", Component: spec.Kubelet, Through: "1.36", Review: "2027-01-31",
		Does: "A kubelet with the feature switched off does not look at the claim that stands for a pod's extended resources, so that a container which is started again gets none of its devices.",
	},
})

func (b byName) restarted(m spec.Meta) Case {
	m.Needs = spec.Needs{Profile: profiles.OneDevice()}
	return cycle{
		gate:   spec.ExtendedResource,
		before: func(t *harness.T, _ *Notes) { b.createClass(t) },
		on: func(t *harness.T, n *Notes) {
			c := classNow(t)
			c.Spec.ExtendedResourceName = b.named(t)
			_, err := t.Client.ResourceV1().DeviceClasses().Update(t.Context(), c, metav1.UpdateOptions{})
			t.NoError(err, "have the class name the extended resource")
			pod := b.pod(t, claimed(n), t.Nodes[0])
			pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
			running := t.RunPod(pod)
			claim := b.specialClaim(t, running)
			n.note(t, pod.Name, claim.Name)
			t.Expect(t.Environment(pod.Name, "main")).To(matchers.SeeOnlyDevices(result(t, claim).Device), "devices of pod %s", pod.Name)
		},
		off: func(t *harness.T, n *Notes) {
			name := claimed(n)
			noted, runs := n.Pods[name]
			if !runs {
				return
			}
			claim := noted.Extended.ResourceClaimName
			t.EndContainer(name, "main")
			t.WaitPod(name, "running again", func(p *corev1.Pod) (bool, error) {
				status := p.Status.ContainerStatuses
				return len(status) == 1 && status[0].RestartCount > noted.Restarts && status[0].State.Running != nil, nil
			})
			if seen := matchers.DevicesIn(t.Environment(name, "main")); len(seen) == 0 {
				t.KnownIssue("the container was started again without its device")
			} else {
				t.Expect(seen).To(gomega.ConsistOf(result(t, t.Claim(claim)).Device), "devices of pod %s after its container was started again", name)
			}
			t.Expect(claimNow(t, claim)).To(gomega.Equal(n.Claims[claim]), "claim %s: same device, prepared once, and still so", claim)
			endPod(t, n, name)
		},
	}.of(m)
}
