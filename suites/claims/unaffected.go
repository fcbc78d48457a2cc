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

package claims

import (
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Unaffected publishes unusable inventories and runs pods without claims.
var Unaffected = harness.Case{Meta: spec.Meta{
	ID:       "claims/unaffected",
	Checks:   "Pods without claims are scheduled at once despite incomplete and invalid pools and waiting pods.",
	Requires: []spec.RequirementID{"kep-4381/unused-without-effect"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	half := t.Slice("half", "", profiles.OneDevice().Pools[0].Devices...)
	half.Spec.Pool.ResourceSliceCount = 2
	first, second := t.Slice("double", "", profiles.OneDevice().Pools[0].Devices...), t.Slice("double", "", profiles.OneDevice().Pools[0].Devices...)
	second.Name += "-2"
	first.Spec.Pool.ResourceSliceCount, second.Spec.Pool.ResourceSliceCount = 2, 2
	t.Create(half, first, second)
	t.Create(objects.Claim("claim", objects.Request("req", class)), objects.Pod("waits", t.Image, "claim"))
	t.WaitUnschedulable("waits", "invalid resource pools")

	for i := range 5 {
		name := fmt.Sprintf("pod-%d", i)
		t.Create(objects.Pod(name, t.Image))
		t.WaitScheduled(name)
		t.Expect(t.Events(name)).NotTo(gomega.ContainElement(gomega.HavePrefix("FailedScheduling")), "events of pod %s", name)
	}
	nowhere := objects.Pod("nowhere", t.Image)
	nowhere.Spec.NodeSelector = map[string]string{"example.com/nowhere": ""}
	t.Create(nowhere)
	t.WaitUnschedulable("nowhere", "")
	t.Expect(said(t.PodNow("nowhere"))).NotTo(gomega.MatchRegexp("(?i)claim"), "reason for a pod without claims")
	t.Expect(t.Claim("claim").Status.Allocation).To(gomega.BeNil(), "allocation of the waiting claim")
}}

// said returns why a pod is unschedulable.
func said(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return c.Message
		}
	}
	return ""
}
