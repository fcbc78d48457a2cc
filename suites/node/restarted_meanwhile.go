package node

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/gomega"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// RestartedMeanwhile restarts a kubelet that waits for drivers.
var RestartedMeanwhile = harness.Case{Meta: spec.Meta{
	ID: "node/restarted-meanwhile",
	Checks: "A kubelet that is restarted while a driver prepares or unprepares a claim asks again: the pod of which one driver had prepared the claim and another one was at it runs " +
		"with the devices of both, and the claim of a pod that was deleted is unprepared before the pod goes.",
	Requires:      []spec.RequirementID{"kep-4381/prepare-retried", "kep-4381/unprepare-retried"},
	Needs:         spec.Needs{Profile: profiles.TwoDevices(), Disruption: true},
	SerialBecause: restartsKubelet,
}, Run: func(t *harness.T) {
	second := t.SecondDriver(profiles.OneDevice())
	class, node := t.CreateClass(nil), t.Nodes[0]
	t.Create(objects.Class(second.Name, second.Name))
	t.Create(objects.Claim("ends", objects.Request("req", class)), objects.OnlyOn(objects.Pod("ends", t.Image, "ends"), node))
	ends := t.WaitRunning("ends")
	second.Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultHang, Times: 1})
	t.Driver.Fail(spec.Fault{Method: spec.Unprepare, Kind: spec.FaultHang, Times: 1})

	t.Create(objects.Claim("half", objects.Request("first", class), objects.Request("second", second.Name)), objects.OnlyOn(objects.Pod("half", t.Image, "half"), node))
	t.Delete(ends, resources.WithGracePeriod(time.Second))
	t.Driver.AwaitCalls(spec.Prepare, "half", "to be answered", func(calls []spec.Call) bool { return len(calls) > 0 })
	for _, asked := range []func() []spec.Call{
		func() []spec.Call { return second.Calls(spec.Prepare, "half") },
		func() []spec.Call { return t.Driver.Calls(spec.Unprepare, "ends") },
	} {
		t.Poll("a call that is not answered", func(context.Context) (bool, string, error) {
			calls := asked()
			return len(calls) > 0 && calls[0].InProgress, fmt.Sprintf("%d calls", len(calls)), nil
		})
	}

	t.RestartKubelet(node)

	t.WaitRunning("half")
	t.Expect(t.Environment("half", "main")).To(gomega.And(matchers.SeeRequest("half", "first"), matchers.SeeDevices("half", "second", "device-0")), "devices of both drivers")
	t.WaitPodGone("ends")
	t.WaitDeallocated("ends")
	t.Expect(len(t.Driver.Calls(spec.Unprepare, "ends"))).To(gomega.BeNumerically(">", 1), "NodeUnprepareResources calls for the claim of the pod that was deleted: one that was cut off, and another one")
	t.RemovePod("half")
	t.Driver.AwaitUnprepared()
	second.AwaitUnprepared()
}}
