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

package extended

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// EndedPods completes pods with an extended resource without deleting them. In contrast to
// claim-gone-when-done, it needs no kubelet, and another pod waits for the device.
var EndedPods = harness.Case{Meta: spec.Meta{
	ID:       "extended/ended-pods",
	Checks:   "The special claim of a completed pod is deleted, and its device serves a waiting pod.",
	Requires: []spec.RequirementID{"kep-5004/claim-gone-with-pod", "kep-5004/unschedulable-until-free"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.ExtendedResource}},
}, Run: func(t *harness.T) {
	one := map[string]int64{createClass(t): 1}
	t.Publish("pool", t.Nodes[0], deviceOf("device-0"))
	for name, phase := range map[string]corev1.PodPhase{"succeeded": corev1.PodSucceeded, "failed": corev1.PodFailed} {
		t.Create(objects.PodWanting(name, t.Image, one))
		claim := t.WaitScheduled(name).Status.ExtendedResourceClaimStatus.ResourceClaimName
		next := "next-" + name
		t.Create(objects.PodWanting(next, t.Image, one))
		t.WaitUnschedulable(next, "cannot allocate all claims")

		ended := edit.PodStatus(t, name, func(p *corev1.Pod) { p.Status.Phase = phase })
		t.WaitClaimGone(claim)
		made := t.WaitScheduled(next).Status.ExtendedResourceClaimStatus.ResourceClaimName
		uid := ended.UID
		t.Get(ended)
		t.Expect(ended.UID).To(gomega.Equal(uid), "the pod with %s still exists", name)
		t.RemovePod(next)
		t.WaitClaimGone(made)
	}
}}
