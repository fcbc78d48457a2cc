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
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/objects"
)

// writes are admission rules rejecting the scheduler's writes for a pod with an extended resource.
// An unscheduled pod proves they are effective.
func writes(t *harness.T) map[string]func(unseen *corev1.Pod) *admission.Refusal {
	dry := []string{metav1.DryRunAll}
	pods := t.Client.CoreV1().Pods(t.Namespace)
	return map[string]func(*corev1.Pod) *admission.Refusal{
		"claim": func(*corev1.Pod) *admission.Refusal {
			return admission.Refuse(t, admissionv1.Create, "resource.k8s.io", "resourceclaims", "false", func(ctx context.Context) error {
				claim := objects.Claim("attempt", objects.Request("req", t.DriverName()))
				_, err := t.Client.ResourceV1().ResourceClaims(t.Namespace).Create(ctx, claim, metav1.CreateOptions{DryRun: dry})
				return err
			})
		},
		"status": func(unseen *corev1.Pod) *admission.Refusal {
			return admission.Refuse(t, admissionv1.Update, "", "pods/status", "!has(object.status.extendedResourceClaimStatus)", func(ctx context.Context) error {
				pod := unseen.DeepCopy()
				pod.Status.ExtendedResourceClaimStatus = mapping("attempt", t.DriverName()+"/device", map[string]string{"main": "req"})
				_, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{DryRun: dry})
				return err
			})
		},
		"binding": func(unseen *corev1.Pod) *admission.Refusal {
			return admission.Refuse(t, admissionv1.Create, "", "pods/binding", "false", func(ctx context.Context) error {
				return pods.Bind(ctx, binding(unseen, t.Nodes[0]), metav1.CreateOptions{DryRun: dry})
			})
		},
	}
}

// mapping returns a pod status mapping a container's resource to claim requests.
func mapping(claim, resource string, requests map[string]string) *corev1.PodExtendedResourceClaimStatus {
	status := &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: claim}
	for container, request := range requests {
		status.RequestMappings = append(status.RequestMappings,
			corev1.ContainerExtendedResourceRequest{ContainerName: container, ResourceName: resource, RequestName: request})
	}
	return status
}

// binding returns the binding of a pod to a node.
func binding(pod *corev1.Pod, node string) *corev1.Binding {
	return &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}
}

// unscheduled returns a pod ignored by all schedulers.
func unscheduled(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.SchedulerName = "none.example.com"
	return pod
}
