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

// LimitKept has pods for kube-scheduler, with its own limit of 256.
var LimitKept = harness.Case{Meta: spec.Meta{
	ID:       "classic/limit-kept",
	Checks:   "A scheduler without classic DRA schedules pods to allocated claims and reports the driver's user limit.",
	Requires: []spec.RequirementID{"kep-3063/users-limited", "kep-3063/only-users-scheduled", "kep-3063/immediate-decides-nodes"},
	Needs:    needs(2),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 1})
	t.Create(claim("claim", d.Class("", nil), atOnce))
	node := place(t.WaitAllocated("claim"))
	pod := func(name string) *corev1.Pod { return objects.OnlyOn(objects.Pod(name, t.Image, "claim"), t.Nodes...) }
	t.Create(pod("first"))
	t.Expect(t.WaitScheduled("first").Spec.NodeName).To(gomega.Equal(node), "node of the first pod")
	t.Create(pod("second"))
	t.WaitEvent("second", "FailedScheduling", "allows 1 users at a time")
	t.Expect(reserved(t.Claim("claim"), "first")).To(gomega.BeTrue(), "the claim is reserved for the first pod alone")
	waiting := pod("second")
	waiting.Namespace = t.Namespace
	t.Get(waiting)
	t.Expect(waiting.Spec.NodeName).To(gomega.BeEmpty(), "node of the second pod")
}}
