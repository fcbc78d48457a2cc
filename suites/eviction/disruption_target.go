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

package eviction

import (
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// DisruptionTarget reads the status of a pod during its deletion. By this condition, workload
// controllers distinguish evictions from failures.
var DisruptionTarget = harness.Case{Meta: spec.Meta{
	ID:       "eviction/disruption-target",
	Checks:   "A pod evicted for a NoExecute taint has the condition DisruptionTarget.",
	Requires: []spec.RequirementID{"kep-5055/disruption-target", "kep-5055/evict-by-slice"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Publish("pool", t.Nodes[0], named("deleted"), named("stays"))
	for _, name := range []string{"deleted", "stays"} {
		pod := objects.Pod(name, t.Image, name)
		pod.Finalizers = []string{"example.com/kept"} // until the end of the case
		t.Create(claimFor(t, class, name), pod)
		t.WaitScheduled(name)
	}
	taint(t, "pool", map[string]resourceapi.DeviceTaint{"deleted": broken(resourceapi.DeviceTaintEffectNoExecute)})

	deleted := t.WaitPod("deleted", "deleted", func(p *corev1.Pod) (bool, error) { return p.DeletionTimestamp != nil, nil })
	t.Expect(disruptions(deleted)).To(gomega.HaveExactElements(gomega.And(
		gomega.HaveField("Status", corev1.ConditionTrue), gomega.HaveField("Reason", "DeletionByDeviceTaintManager"),
	)), "conditions DisruptionTarget of the pod being deleted")
	t.Expect(disruptions(t.WaitScheduled("stays"))).To(gomega.BeEmpty(), "conditions DisruptionTarget of the remaining pod")
}}

// disruptions returns a pod's DisruptionTarget conditions.
func disruptions(pod *corev1.Pod) []corev1.PodCondition {
	return slices.DeleteFunc(slices.Clone(pod.Status.Conditions), func(c corev1.PodCondition) bool { return c.Type != corev1.DisruptionTarget })
}
