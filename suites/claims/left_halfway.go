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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/harness/scheduler"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// LeftHalfway leaves pods and claims like a scheduler crashing before binding.
var LeftHalfway = harness.Case{Meta: spec.Meta{
	ID:       "claims/left-halfway",
	Checks:   "A pod whose claim was left allocated, reserved or with only the finalizer is scheduled with that claim.",
	Requires: []spec.RequirementID{"kep-4381/halfway-claims-used"},
	Needs:    spec.Needs{NoKubelet: true},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[0], 2)
	gated := func(name string) *corev1.Pod {
		pod := objects.OnlyOn(objects.Pod(name, t.Image, name), t.Nodes[0])
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/earlier-scheduler"}}
		t.Create(pod)
		return pod
	}
	gated("finalizer")
	begun := objects.Claim("finalizer", objects.Request("req", class))
	begun.Finalizers = []string{resourceapi.Finalizer}
	t.Create(begun)
	allocated(t, "reserved", class, objects.Consumer(gated("reserved")))
	before := t.Claim("reserved")
	scheduler.AwaitSeen(t)

	for name, device := range map[string]string{"reserved": "device-0", "finalizer": "device-1"} {
		edit.Ungate(t, name)
		pod := t.WaitScheduled(name)
		claim := t.Claim(name)
		t.Expect(claim).To(gomega.And(matchers.HaveDevices(device), matchers.BeReservedFor(pod)), "claim of pod %s", name)
		t.Expect(claim.Finalizers).To(gomega.Equal([]string{resourceapi.Finalizer}), "finalizers of the claim of pod %s", name)
	}
	t.Expect(t.Claim("reserved").Status.Allocation).To(gomega.Equal(before.Status.Allocation), "earlier allocation")
}}
