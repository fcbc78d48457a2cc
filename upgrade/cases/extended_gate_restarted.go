package cases

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ExtendedGateRestarted ends a container once its kubelet has the feature no more.
var ExtendedGateRestarted = byName{explicit: true}.restarted(spec.Meta{
	ID:       "upgrade/extended-gate-restarted",
	Checks:   "A container that has a DRA device by the extended resource that a class names is started again after its kubelet's feature gate was switched off, and has the same device.",
	Requires: []spec.RequirementID{"kep-5004/restart-after-gate-off"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	KnownIssue: &spec.KnownIssue{
		Issue: "pkg/kubelet/cm/dra/manager.go", Component: spec.Kubelet, Through: "1.37", Review: "2027-01-31",
		Does: "A kubelet with the feature switched off starts a container again without the devices that its extended resources stand for, although their claim is allocated and prepared.",
	},
})

func (b byName) restarted(m spec.Meta) Case {
	return cycle{
		gate:   spec.ExtendedResource,
		before: func(t *harness.T, _ *Notes) { b.createClass(t) },
		first:  b.restartWithout,
		on: func(t *harness.T, n *Notes) {
			b.nameClass(t)
			pod := b.pod(t, claimed(n), t.Nodes[0])
			pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
			b.runPod(t, n, pod)
		},
		off: func(t *harness.T, n *Notes) {
			if _, ok := n.Pods[claimed(n)]; ok {
				endPod(t, n, claimed(n))
			}
		},
	}.of(m)
}

// restartWithout ends the container of the pod whose kubelet has lost the feature just now, and
// looks at the next one.
func (b byName) restartWithout(t *harness.T, n *Notes, step path.Step) {
	name := claimed(n)
	noted, runs := n.Pods[name]
	if !runs || !switchesOff(step, noted.Node) {
		return
	}
	device := result(t, t.Claim(noted.Extended.ResourceClaimName)).Device
	t.EndContainer(name, "main")
	t.WaitRunningAgain(name, noted.Restarts)
	n.Pods[name] = podNow(t, name)
	seen := t.Environment(name, "main")
	if none, err := matchers.SeeNothing().Match(seen); err == nil && none {
		t.KnownIssue("the container that was started again has no device any more")
		return
	}
	t.Expect(seen).To(matchers.SeeOnlyDevices(device), "devices of pod %s after its container was started again", name)
}
