package cases

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ExtendedGateExplicit switches the feature while a device plugin serves the
// resource on another node.
var ExtendedGateExplicit = byName{explicit: true}.switched(spec.Meta{
	ID: "upgrade/extended-gate-explicit",
	Checks: "Switched on, pods get DRA devices by the extended resource that a class names; switched off, those that have some run on and new ones get only " +
		"what device plugins serve, which goes on all the time; nothing of it stays when the pods are gone, and switched on again it works as at first.",
	Requires: []spec.RequirementID{"kep-5004/scenario-2", "kep-5004/scenario-5", "kep-5004/scenario-6", "kep-5004/explicit-name", "kep-5004/nodes-of-both-kinds",
		"kep-5004/gate-off-name-kept", "kep-5004/partly-rolled-out-spares-running"},
})

// ExtendedGateImplicit does the same with the name that each class has, which no
// device plugin can serve: kubelets register none in the domain kubernetes.io.
var ExtendedGateImplicit = byName{}.switched(spec.Meta{
	ID: "upgrade/extended-gate-implicit",
	Checks: "Switched on, pods get DRA devices by the extended resource that each class has; switched off, those that have some run on and new ones get none; " +
		"nothing of it stays when the pods are gone, and switched on again it works as at first.",
	Requires: []spec.RequirementID{"kep-5004/scenario-2", "kep-5004/scenario-5", "kep-5004/scenario-6", "kep-5004/implicit-name"},
	KnownIssue: &spec.KnownIssue{
		Issue: "pkg/kubelet/lifecycle/predicate.go", Component: spec.Kubelet, Through: "1.36", Review: "2027-01-31",
		Does: "A kubelet that starts with the feature switched off finds that its node has nothing of the name that each class has, refuses pods that run with it, and stops their containers; those with a name of another domain run on.",
	},
})

func (b byName) switched(m spec.Meta) Case {
	m.Needs = spec.Needs{Profile: profiles.OneDevice(), Nodes: 2}
	return cycle{gate: spec.ExtendedResource, before: b.beforeSwitch, first: b.refusedWhileRunning, on: b.switchedOn, off: b.switchedOff}.of(m)
}

func (b byName) beforeSwitch(t *harness.T, n *Notes) {
	b.createClass(t)
	if !b.explicit {
		return
	}
	plugin := t.Nodes[0]
	t.Driver.PublishOn(plugin, profiles.Empty())
	t.Driver.OfferOn(plugin, b.counted(t, 2))
	b.runCounted(t, "counted", plugin)
	n.note(t, "counted")
}

// refusedWhileRunning notices that a kubelet that has just been started has refused a
// pod that runs. It takes all pods of its node in before any that is made now, and says
// so in an event; the pod's status may stay as it was for a minute.
func (b byName) refusedWhileRunning(t *harness.T, n *Notes, step path.Step) {
	name := claimed(n)
	noted, runs := n.Pods[name]
	if b.explicit || !runs || !switchesOff(step, noted.Node) {
		return
	}
	t.RunPod(objects.OnlyOn(objects.Pod("taken-in", t.Image), noted.Node))
	t.Poll("what the kubelet says in events", func(context.Context) (bool, string, error) {
		events := t.Events("taken-in")
		return slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(e, "Started: ") }), fmt.Sprint(events), nil
	})
	t.RemovePod("taken-in")
	refused := "OutOf" + b.resource(t)
	if slices.ContainsFunc(t.Events(name), func(e string) bool { return strings.Contains(e, refused) }) {
		t.KnownIssue("the kubelet has refused a pod that runs, and stops it")
		endPod(t, n, name)
	}
}

// switchesOff is whether a step is that of a node's kubelet to be without the feature.
func switchesOff(step path.Step, node string) bool {
	return step.Gate == spec.ExtendedResource && !step.On && step.Place == path.Place{Component: path.Kubelet, Node: node}
}

func claimed(n *Notes) string { return fmt.Sprintf("claimed-%d", n.Round) }

// switchedOn has pods get what they may have now.
func (b byName) switchedOn(t *harness.T, n *Notes) {
	b.nameClass(t)
	b.run(t, n, claimed(n), t.Nodes[1])
	b.othersCounted(t)
}

// nameClass has the class name the extended resource: one that was made while the gate was off
// has lost its name then.
func (b byName) nameClass(t *harness.T) {
	c := classNow(t)
	c.Spec.ExtendedResourceName = b.named(t)
	_, err := t.Client.ResourceV1().DeviceClasses().Update(t.Context(), c, metav1.UpdateOptions{})
	t.NoError(err, "have the class name the extended resource")
	b.classNamed(t)
}

// switchedOff checks what new pods get, and that nothing stays of the one that had a
// DRA device.
func (b byName) switchedOff(t *harness.T, n *Notes) {
	b.classNamed(t)
	t.Create(b.pod(t, "refused", t.Nodes[1]))
	t.WaitUnschedulable("refused", "Insufficient "+b.resource(t))
	claims, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).List(t.Context(), metav1.ListOptions{})
	t.NoError(err, "list claims")
	t.Expect(claims.Items).To(gomega.HaveLen(len(n.Claims)), "special claims: none is made any more, none is deleted")
	t.RemovePod("refused")
	b.othersCounted(t)
	b.newClassUnnamed(t, n)
	if _, ok := n.Pods[claimed(n)]; ok {
		endPod(t, n, claimed(n))
	}
}

// newClassUnnamed checks that a class that is made now does not get a name.
func (b byName) newClassUnnamed(t *harness.T, n *Notes) {
	c := objects.Class(fmt.Sprintf("%s.off-%d", t.Driver.Name, n.Round), t.Driver.Name)
	c.Spec.ExtendedResourceName = b.named(t)
	t.Create(c)
	t.Get(c)
	t.Expect(c.Spec.ExtendedResourceName).To(gomega.BeNil(), "extended resource that a new class names")
}

// othersCounted checks that the device plugin goes on to serve.
func (b byName) othersCounted(t *harness.T) {
	if !b.explicit {
		return
	}
	pod := t.RunPod(b.pod(t, "counted-too", t.Nodes[0]))
	t.Expect(pod.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of a pod that a device plugin serves")
	t.RemovePod("counted-too")
}
