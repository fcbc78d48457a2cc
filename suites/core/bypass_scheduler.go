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

package core

import (
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// BypassScheduler starts a pod on a node without the scheduler.
var BypassScheduler = harness.Case{Meta: spec.Meta{
	ID:       "core/bypass-scheduler",
	Checks:   "The kubelet does not start a pod on its node without a reservation of its claim, and reports that in events.",
	Requires: []spec.RequirementID{"kep-4381/kubelet-checks-reservation"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	pod := objects.Pod("pod", t.Image, "claim")
	pod.Spec.NodeName = t.Nodes[0]

	t.Create(pod)

	// Effects of the kubelet's first attempt are visible after its second one.
	t.WaitEventTimes("pod", "FailedPrepareDynamicResources", "not allowed to use ResourceClaim claim", 2)
	t.Get(pod)
	t.Expect(pod.Status.Phase).To(gomega.Equal(corev1.PodPending), "phase of the pod")
	for _, s := range pod.Status.ContainerStatuses {
		t.Expect(s.State.Waiting).NotTo(gomega.BeNil(), "whether container %s waits", s.Name)
	}
	simdriver.Of(t).ExpectCalls(spec.Prepare, "claim", 0, "")
}}
