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

package node

import (
	"slices"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/simdriver"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// PrepareBeforeSandbox fails a claim's first two prepare calls. Until the claim is prepared, the
// pod has no IP and PodReadyToStartContainers is not true.
var PrepareBeforeSandbox = harness.Case{Meta: spec.Meta{
	ID:       "node/prepare-before-sandbox",
	Checks:   "The kubelet creates a pod's sandbox only after its claims are prepared.",
	Requires: []spec.RequirementID{"kep-4381/prepare-before-sandbox", "kep-4381/prepare-before-start"},
	Needs:    spec.Needs{Profile: profiles.OneDevice()},
	WaitsFor: waitsForResync,
	Timeout:  resyncTimeout,
}, Run: func(t *harness.T) {
	t.Create(objects.Claim("claim", objects.Request("req", t.CreateClass(nil))))
	simdriver.Of(t).Fail(spec.Fault{Method: spec.Prepare, Kind: spec.FaultClaimError})

	t.Create(objects.Pod("pod", t.Image, "claim"))

	// The second call would observe a sandbox created before the first one.
	simdriver.Of(t).AwaitCalls(spec.Prepare, "claim", "two that fail", func(calls []spec.Call) bool { return len(calls) >= 2 })
	pod := t.WaitPod("pod", "a pod reporting whether it is ready to start containers", func(p *corev1.Pod) (bool, error) {
		return readyToStart(p).Status != "", nil
	})
	t.Expect(pod.Status.PodIPs).To(gomega.BeEmpty(), "addresses of a pod without a prepared claim")

	simdriver.Of(t).Fail()
	ran := t.WaitRunning("pod")
	t.Expect(readyToStart(ran).Status).To(gomega.Equal(corev1.ConditionTrue), "whether the running pod was ready to start containers")
	t.Expect(readyToStart(ran).LastTransitionTime.Time).To(notBefore(lastCall(simdriver.Of(t), spec.Prepare, "claim")), "when the pod was ready to start containers")
}}

// readyToStart is the condition reporting the pod's sandbox and network.
func readyToStart(pod *corev1.Pod) corev1.PodCondition {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReadyToStartContainers })
	if i < 0 {
		return corev1.PodCondition{}
	}
	return pod.Status.Conditions[i]
}
