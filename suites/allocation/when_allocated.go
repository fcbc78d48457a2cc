package allocation

import (
	"context"
	"time"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// WhenAllocated reads when allocations were made.
var WhenAllocated = harness.Case{Meta: spec.Meta{
	ID: "allocation/when-allocated",
	Checks: "An allocation says when it was made, also one of a device that is bound without waiting: between the creation of its pod and now. That stays when another pod " +
		"joins, and an allocation that is made anew has a later time.",
	Requires: []spec.RequirementID{"kep-5007/allocation-timestamp-set"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.BindingConditions, spec.DeviceStatus}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], device("device", nil))
	made := func() time.Time {
		at := t.WaitAllocated("claim").Status.Allocation.AllocationTimestamp
		t.Expect(at).NotTo(gomega.BeNil(), "time of the allocation")
		return at.Time
	}
	create := func(name string) time.Time {
		t.Create(objects.Pod(name, t.Image, "claim"))
		pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(t.Context(), name, metav1.GetOptions{})
		t.NoError(err, "get pod %s", name)
		t.WaitScheduled(name)
		return pod.CreationTimestamp.Time
	}
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	created := create("first")
	first := made()
	// Both times are of whole seconds, by the clocks of API server and scheduler.
	const skew = 2 * time.Second
	t.Expect(first).To(gomega.BeTemporally(">=", created.Add(-skew)), "time of the allocation, after the creation of its pod")
	t.Expect(first).To(gomega.BeTemporally("<=", time.Now().Add(skew)), "time of the allocation, before now")
	create("second")
	t.Expect(made()).To(gomega.Equal(first), "time of the allocation after another pod has joined")

	t.RemovePod("first")
	t.RemovePod("second")
	t.WaitDeallocated("claim")
	t.Poll("the second of the first allocation to be over", func(context.Context) (bool, string, error) {
		return time.Since(first) > time.Second, time.Since(first).String(), nil // times are of whole seconds
	})
	create("third")
	t.Expect(made()).To(gomega.BeTemporally(">", first), "time of the allocation that was made anew")
}}
