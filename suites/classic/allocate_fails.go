package classic

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AllocateFails fails twice.
var AllocateFails = harness.Case{Meta: spec.Meta{
	ID:       "classic/allocate-fails",
	Checks:   "A failed allocation is reported in an event and retried; the pod is scheduled once it succeeds.",
	Requires: []spec.RequirementID{"kep-3063/failed-steps-retried", "kep-3063/driver-finalizer"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(spec.ClassicDriver{Devices: 1, FailAllocate: 2})
	t.Create(claim("claim", d.Class("", nil), nil), c.Pod("pod", "claim"))
	t.WaitEvent("claim", "Failed", "allocating fails on purpose")
	t.WaitScheduled("pod")
	t.Expect(d.Held()).To(gomega.HaveLen(1), "devices that claims have")
}}
