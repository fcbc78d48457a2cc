package node

import (
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RestartedMeanwhile restarts a kubelet that drivers have refused what it asks for.
var RestartedMeanwhile = harness.Case{Meta: spec.Meta{
	ID: "node/restarted-meanwhile",
	Checks: "A kubelet that is restarted while a driver refuses to prepare or to unprepare claims asks again: the pod of which one driver had prepared the claim and another one had " +
		"not runs with the devices of both, and the claims of pods that were deleted, one of them by force, are unprepared.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-retried", "kep-4381/unprepare-retried", "kep-4381/unprepare-force-deleted"},
	Needs:         spec.Needs{Profile: profiles.FourDevices(), Disruption: true},
	SerialBecause: restartsKubelet,
	WaitsFor:      waitsForResync,
	Timeout:       resyncTimeout,
}, Run: func(t *harness.T) {
	second := t.SecondDriver(profiles.OneDevice())
	class, node := t.CreateClass(nil), t.Nodes[0]
	t.Create(objects.Class(second.Name, second.Name))
	for _, name := range []string{"ends", "forced"} {
		t.Create(objects.Claim(name, objects.Request("req", class)), objects.OnlyOn(objects.Pod(name, t.Image, name), node))
	}
	t.WaitRunning("ends")
	t.WaitRunning("forced")
	second.Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError, Message: "out of coffee"})
	t.Driver.Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultClaimError, Message: "out of tea"})

	t.Create(objects.Claim("half", objects.Request("first", class), objects.Request("second", second.Name)), objects.OnlyOn(objects.Pod("half", t.Image, "half"), node))
	for name, grace := range map[string]time.Duration{"ends": time.Second, "forced": 0} {
		t.Delete(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: t.Namespace}}, resources.WithGracePeriod(grace))
	}
	refused := []struct {
		driver *harness.Driver
		method spec.Method
		claim  string
	}{{second, spec.Prepare, "half"}, {t.Driver, spec.Unprepare, "ends"}, {t.Driver, spec.Unprepare, "forced"}}
	t.Driver.AwaitCalls(spec.Prepare, "half", "to be made", func(calls []spec.Call) bool { return len(calls) > 0 })
	for _, r := range refused {
		r.driver.AwaitCalls(r.method, r.claim, "to be refused", func(calls []spec.Call) bool { return len(calls) > 0 })
	}

	t.RestartKubelet(node)

	for _, r := range refused {
		before := len(r.driver.Calls(r.method, r.claim))
		r.driver.AwaitCalls(r.method, r.claim, "to be made and refused after the restart", func(calls []spec.Call) bool { return len(calls) > before })
	}
	second.Fail()
	t.Driver.Fail()
	t.WaitRunning("half")
	t.Expect(t.Environment("half", "main")).To(gomega.And(matchers.SeeRequest("half", "first"), matchers.SeeDevices("half", "second", "device-0")), "devices of both drivers")
	for _, name := range []string{"ends", "forced"} {
		t.WaitPodGone(name)
		t.WaitDeallocated(name)
	}
	t.RemovePod("half")
	t.Driver.AwaitUnprepared()
	second.AwaitUnprepared()
}}
