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
	"fmt"

	"github.com/onsi/gomega"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/spec"
)

// AnyUsers creates all pods at once.
var AnyUsers = harness.Case{Meta: spec.Meta{
	ID:     "classic/any-number-of-users",
	Checks: "A claim without a user limit is shared by all pods at once on one node and freed after the last one is gone.",
	Requires: []spec.RequirementID{"kep-3063/users-limited", "article-126/exclusive-or-unlimited", "article-126/workload-shares-claim", "kep-3063/user-claim-reused",
		"kep-3063/ephemeral-and-persistent"},
	Needs: needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	t.Create(claim("claim", d.Class("", nil), users(t, -1)))
	var pods []string
	for i := range 6 {
		pods = append(pods, fmt.Sprint("pod-", i))
		t.Create(c.Pod(pods[i], "claim"))
	}
	for _, name := range pods {
		node := t.WaitScheduled(name).Spec.NodeName
		t.Expect(node).To(gomega.Equal(place(t.Claim("claim"))), "node of %s", name)
	}
	got := t.Claim("claim")
	t.Expect(reserved(got, pods...)).To(gomega.BeTrue(), "the claim is reserved for all pods")
	t.Expect(d.Held()).To(gomega.HaveLen(1), "devices allocated to claims")
	for _, name := range pods {
		t.RemovePod(name)
	}
	t.WaitDeallocated("claim")
	c.WaitClassicClaim("claim", "gone", func(r *classicdra.ClassicClaim) bool { return r == nil })
	t.Expect(d.Held()).To(gomega.BeEmpty(), "devices allocated to claims after the last pod")
}}
