package classic

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// OneUser has two containers in each pod; they do not count.
var OneUser = harness.Case{Meta: spec.Meta{
	ID:     "classic/one-user",
	Checks: "By default a claim is for one pod at a time, with any number of containers; the next pod waits for its end.",
	Requires: []spec.RequirementID{"kep-3063/users-limited", "kep-3063/only-users-scheduled", "kep-3063/containers-not-users", "kep-3063/shared-by-containers",
		"article-126/exclusive-or-unlimited", "article-126/reserved-for-pod"},
	Needs: needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(spec.ClassicDriver{Devices: 2})
	t.Create(claim("claim", d.Class("", nil), nil))
	pod := func(name string) *corev1.Pod {
		p := c.Pod(name, "claim")
		p.Spec.Containers = append(p.Spec.Containers, objects.Container("beside", t.Image, objects.Stay, "claim"))
		return p
	}
	t.Create(pod("first"))
	t.WaitScheduled("first")
	t.Create(pod("second"))
	t.WaitUnschedulable("second", "the claim has as many users as it may have")
	t.Expect(reserved(t.Claim("claim"), "first")).To(gomega.BeTrue(), "the claim is reserved for the first pod alone")
	t.RemovePod("first")
	t.WaitScheduled("second")
	t.Expect(reserved(t.Claim("claim"), "second")).To(gomega.BeTrue(), "the claim is reserved for the second pod alone")
}}
