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
	d := c.Driver(classicdra.DriverConfig{Devices: 2})
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
