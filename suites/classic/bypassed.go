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
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/classicdra"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Bypassed does not cover the kubelet; core/bypass-scheduler does.
var Bypassed = harness.Case{Meta: spec.Meta{
	ID:       "classic/bypassed-scheduler",
	Checks:   "A pod bound without the scheduler causes no allocation; an allocated claim is reserved for it within the user limit.",
	Requires: []spec.RequirementID{"article-126/bypassed-scheduler-refused", "kep-3063/users-limited", "kep-3063/selected-node-set"},
	Needs:    needs(1),
}, Run: func(t *harness.T) {
	c := classicdra.Start(t)
	d := c.Driver(classicdra.DriverConfig{Devices: 3})
	class := d.Class("", nil)
	t.Create(claim("delayed", class, nil), claim("immediate", class, atOnce))
	t.WaitAllocated("immediate")
	pod := func(name, claim string) *corev1.Pod {
		p := objects.Pod(name, t.Image, claim)
		p.Spec.NodeName = t.Nodes[0]
		return p
	}
	t.Create(pod("waits", "delayed"), pod("first", "immediate"))
	t.WaitClaim("immediate", "reserved for the pod", func(c *resourceapi.ResourceClaim) bool { return reserved(c, "first") })
	t.Create(pod("second", "immediate"), c.Pod("user", "delayed"))
	t.WaitScheduled("user")
	t.Expect(reserved(t.Claim("delayed"), "user")).To(gomega.BeTrue(), "the claim is reserved for the pod that was scheduled")
	t.Expect(reserved(t.Claim("immediate"), "first")).To(gomega.BeTrue(), "the claim is reserved for the first pod alone")
	c.WaitPodScheduling("waits", "missing", none)
}}
