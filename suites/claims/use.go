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
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/edit"
	"github.com/dra-conformance/dratest/framework/objects"
)

// nobody is the name of a missing scheduler, so that the case controls its pods.
const nobody = "dratest-nobody"

// devices publishes a number of devices on a node, and returns a class for them.
func devices(t *harness.T, node string, number int) (class string) {
	t.Publish("pool", node, profiles.Devices(number).Pools[0].Devices...)
	return t.CreateClass(nil)
}

// held creates a pod of a missing scheduler with a claim.
func held(t *harness.T, name, claim string) *corev1.Pod {
	pod := objects.Pod(name, t.Image, claim)
	pod.Spec.SchedulerName = nobody
	t.Create(pod)
	return pod
}

// heldFromTemplate creates such a pod with a claim from a template.
func heldFromTemplate(t *harness.T, name, template string) *corev1.Pod {
	pod := objects.PodFromTemplate(name, t.Image, template)
	pod.Spec.SchedulerName = nobody
	t.Create(pod)
	return pod
}

// touch makes an irrelevant change to a pod.
func touch(t *harness.T, pod string) {
	_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(t.Context(), pod, types.MergePatchType, []byte(`{"metadata":{"labels":{"touched":"true"}}}`), metav1.PatchOptions{})
	t.NoError(err, "change a label of pod %s", pod)
}

// waits fails the case if a pod is scheduled once the scheduler has processed everything created before: it then
// schedules a newer pod, with a claim for a device of the class. The scheduler reports nothing for pods with unusable
// claims (kubernetes#129698).
func waits(t *harness.T, pod, class string) {
	t.Create(objects.Claim("witness", objects.Request("req", class)), objects.Pod("witness", t.Image, "witness"))
	t.WaitScheduled("witness")
	notScheduled(t, pod)
}

// notScheduled fails the case if a pod is scheduled now.
func notScheduled(t *harness.T, pod string) {
	now := t.PodNow(pod)
	t.Expect(now.Spec.NodeName).To(gomega.BeEmpty(), "node of pod %s", pod)
}

// allocated creates a claim and allocates device-0 of the pool for it, like a scheduler, with these consumers.
func allocated(t *harness.T, name, class string, consumers ...resourceapi.ResourceClaimConsumerReference) {
	claim := objects.Claim(name, objects.Request("req", class))
	claim.Finalizers = []string{resourceapi.Finalizer}
	t.Create(claim)
	edit.ClaimStatus(t, name, func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation = allocation(t, "device-0")
		c.Status.ReservedFor = consumers
	})
}

// allocation returns an allocation of a device of the pool for request "req", like a scheduler's.
func allocation(t *harness.T, device string) *resourceapi.AllocationResult {
	return &resourceapi.AllocationResult{
		AllocationTimestamp: &metav1.Time{Time: time.Now()}, // without it Kubernetes' scheduler can reserve no allocation
		Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: t.DriverName(), Pool: "pool", Device: device}},
		},
	}
}

// consumers returns the names a claim is reserved for.
func consumers(claim *resourceapi.ResourceClaim) []string {
	names := []string{}
	for _, c := range claim.Status.ReservedFor {
		names = append(names, c.Name)
	}
	return names
}

// generated waits until a pod's status names the claim generated as "claim", and returns it.
func generated(t *harness.T, pod string) *resourceapi.ResourceClaim {
	name := ""
	t.WaitPod(pod, "given its claim", func(p *corev1.Pod) (bool, error) {
		name = generatedName(p)
		return name != "", nil
	})
	return t.Claim(name)
}

// generatedName returns the name of the claim generated as "claim" in a pod's status; empty if there is none.
func generatedName(pod *corev1.Pod) string {
	for _, s := range pod.Status.ResourceClaimStatuses {
		if s.Name == "claim" && s.ResourceClaimName != nil {
			return *s.ResourceClaimName
		}
	}
	return ""
}
