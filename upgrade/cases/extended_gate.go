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
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// ExtendedGateExplicit switches the feature gate while a device plugin serves the resource on
// another node. Without the feature new pods get only device plugin devices, and nothing stays of
// deleted pods.
var ExtendedGateExplicit = byName{explicit: true}.switched(spec.Meta{
	ID:     "upgrade/extended-gate-explicit",
	Checks: "Pods with a class's extended resource survive switching DRAExtendedResource off, and it works when on again.",
	Requires: []spec.RequirementID{"kep-5004/scenario-2", "kep-5004/scenario-5", "kep-5004/scenario-6", "kep-5004/explicit-name", "kep-5004/nodes-of-both-kinds",
		"kep-5004/gate-off-name-kept", "kep-5004/partly-rolled-out-spares-running"},
})

// ExtendedGateImplicit does the same with the implicit name, never served by device plugins:
// kubelets register none in the domain kubernetes.io. Without the feature new pods get no device.
var ExtendedGateImplicit = byName{}.switched(spec.Meta{
	ID:         "upgrade/extended-gate-implicit",
	Checks:     "Pods with a class's implicit extended resource survive switching DRAExtendedResource off and on again.",
	Requires:   []spec.RequirementID{"kep-5004/scenario-2", "kep-5004/scenario-5", "kep-5004/scenario-6", "kep-5004/implicit-name"},
	KnownIssue: issues.Known("extended-gate-implicit"),
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
	simdriver.Of(t).PublishOn(plugin, profiles.Empty())
	simdriver.Of(t).OfferOn(plugin, b.counted(t, 2))
	b.runCounted(t, "counted", plugin)
	n.note(t, "counted")
}

// refusedWhileRunning detects a running pod rejected by a restarted kubelet. The kubelet admits existing pods of its
// node before new ones, and reports the rejection in an event; the pod's status may be a minute late.
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
		t.KnownIssue("expected no event %s of the running pod, got one: the kubelet stops it", refused)
		endPod(t, n, name)
	}
}

// switchesOff reports whether a step switches the feature off in a node's kubelet.
func switchesOff(step path.Step, node string) bool {
	return step.Gate == spec.ExtendedResource && !step.On && step.Place == path.Place{Component: path.Kubelet, Node: node}
}

func claimed(n *Notes) string { return fmt.Sprintf("claimed-%d", n.Round) }

// switchedOn runs the pods possible with the feature.
func (b byName) switchedOn(t *harness.T, n *Notes) {
	b.nameClass(t)
	b.run(t, n, claimed(n), t.Nodes[1])
	b.othersCounted(t)
}

// nameClass sets the class's extended resource name: a class created with the gate off has lost it.
func (b byName) nameClass(t *harness.T) {
	c := classNow(t)
	c.Spec.ExtendedResourceName = b.named(t)
	_, err := t.Client.ResourceV1().DeviceClasses().Update(t.Context(), c, metav1.UpdateOptions{})
	t.NoError(err, "have the class name the extended resource")
	b.classNamed(t)
}

// switchedOff checks new pods without the feature, and that nothing stays of the pod with a DRA
// device.
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

// newClassUnnamed checks that a new class does not get a name.
func (b byName) newClassUnnamed(t *harness.T, n *Notes) {
	c := objects.Class(fmt.Sprintf("%s.off-%d", t.DriverName(), n.Round), t.DriverName())
	c.Spec.ExtendedResourceName = b.named(t)
	t.Create(c)
	t.Get(c)
	t.Expect(c.Spec.ExtendedResourceName).To(gomega.BeNil(), "extended resource that a new class names")
}

// othersCounted checks that the device plugin still serves pods.
func (b byName) othersCounted(t *harness.T) {
	if !b.explicit {
		return
	}
	pod := t.RunPod(b.pod(t, "counted-too", t.Nodes[0]))
	t.Expect(pod.Status.ExtendedResourceClaimStatus).To(gomega.BeNil(), "the claim of a pod that a device plugin serves")
	t.RemovePod("counted-too")
}
