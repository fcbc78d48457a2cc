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
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/matchers"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Workload has a ReplicaSet with one claim for all pods.
var Workload = harness.Case{Meta: spec.Meta{
	ID:       "claims/workload",
	Checks:   "All pods of a ReplicaSet share the claim in its template; it is deallocated and stays when they are gone.",
	Requires: []spec.RequirementID{"kep-4381/controller-pods-share-claim", "kep-4381/user-claim-outlives-pods"},
	Needs:    spec.Needs{NoKubelet: true, Nodes: 2},
}, Run: func(t *harness.T) {
	class := devices(t, t.Nodes[1], 3)
	t.Create(objects.Claim("claim", objects.Request("req", class)))
	labels := map[string]string{"app": "replicas"}
	pod := objects.Pod("", t.Image, "claim").Spec
	pod.RestartPolicy = corev1.RestartPolicyAlways
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "set"}, Spec: appsv1.ReplicaSetSpec{
		Replicas: ptr.To[int32](3), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod},
	}}
	t.Create(set)
	// Otherwise it would replace the pods removed at the end of the case.
	defer func() {
		_ = t.Client.AppsV1().ReplicaSets(t.Namespace).Delete(t.Context(), "set", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)})
	}()

	claim := t.WaitClaim("claim", "reserved for three", func(c *resourceapi.ResourceClaim) bool { return len(c.Status.ReservedFor) == 3 })
	t.Expect(claim).To(matchers.HaveDevices("device-0"), "device of all pods")
	for _, name := range consumers(claim) {
		t.Expect(t.WaitScheduled(name).Spec.NodeName).To(gomega.Equal(t.Nodes[1]), "node of pod %s", name)
	}
	t.NoError(t.Client.AppsV1().ReplicaSets(t.Namespace).Delete(t.Context(), "set", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}), "delete the ReplicaSet")
	t.WaitDeallocated("claim")
	// Deletion could be delayed: the next pod proves that the claim stays.
	t.Create(objects.Pod("next", t.Image, "claim"))
	next := t.WaitScheduled("next")
	left := t.Claim("claim")
	t.Expect(left.UID).To(gomega.Equal(claim.UID), "UID of the claim")
	t.Expect(left.DeletionTimestamp).To(gomega.BeNil(), "deletion of the claim")
	t.Expect(left).To(matchers.BeReservedFor(next), "consumers of the claim")
}}
