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

package classic

import (
	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// TwoUsers has three pods.
var TwoUsers = harness.Case{Meta: spec.Meta{
	ID:       "classic/two-users",
	Checks:   "A claim with a limit of two users is shared by two pods; a third one waits until one of them is gone.",
	Requires: []spec.RequirementID{"kep-3063/users-limited", "kep-3063/only-users-scheduled"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	t.Create(claim("claim", d.Class("", nil), users(t, 2)))
	t.Create(c.Pod("a", "claim"))
	node := t.WaitScheduled("a").Spec.NodeName
	t.Create(c.Pod("b", "claim"))
	t.Expect(t.WaitScheduled("b").Spec.NodeName).To(gomega.Equal(node), "node of the second pod")
	t.Create(c.Pod("c", "claim"))
	t.WaitUnschedulable("c", "the claim has as many users as it may have")
	t.Expect(reserved(t.Claim("claim"), "a", "b")).To(gomega.BeTrue(), "the claim is reserved for the first two pods")
	c.WaitClassicClaim("claim", "for two", func(r *classicdra.ClassicClaim) bool { return r != nil && r.UserLimit == 2 })
	t.RemovePod("a")
	t.Expect(t.WaitScheduled("c").Spec.NodeName).To(gomega.Equal(node), "node of the third pod")
	t.Expect(reserved(t.Claim("claim"), "b", "c")).To(gomega.BeTrue(), "the claim is reserved for the last two pods")
}}
