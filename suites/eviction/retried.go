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
	"context"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/admission"
	"github.com/dra-conformance/dratest/framework/spec"
)

// Retried makes the API server reject the DisruptionTarget condition of a pod, written before its
// deletion, and the deletion of another pod. Each stays until the API server accepts the write.
var Retried = harness.Case{Meta: spec.Meta{
	ID:       "eviction/retried",
	Checks:   "The eviction of a pod is retried after an API error.",
	Requires: []spec.RequirementID{"kep-5055/eviction-retried", "kep-5055/disruption-target"},
	Needs:    spec.Needs{NoKubelet: true, Features: []spec.Feature{spec.DeviceTaints}},
}, Run: func(t *harness.T) {
	class := t.CreateClass(nil)
	users(t, class, "pool", t.Nodes[0], "pod", "kept")
	pod := t.WaitScheduled("pod")
	t.WaitScheduled("kept")
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue})
	pod.ResourceVersion = "" // the pod may have changed
	allowed := "object.metadata.name == 'kept' || !has(object.status.conditions) || object.status.conditions.all(c, c.type != '" + string(corev1.DisruptionTarget) + "')"
	refusal := admission.Refuse(t, admissionv1.Update, "", "pods/status", allowed, func(ctx context.Context) error {
		_, err := t.Client.CoreV1().Pods(t.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
	noDeletion := admission.Refuse(t, admissionv1.Delete, "", "pods", "oldObject.metadata.name != 'kept'", func(ctx context.Context) error {
		return t.Client.CoreV1().Pods(t.Namespace).Delete(ctx, "kept", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
	})
	broken := broken(resourceapi.DeviceTaintEffectNoExecute)
	taint(t, "pool", map[string]resourceapi.DeviceTaint{"pod": broken, "kept": broken})
	// Each attempt emits the event before it fails.
	t.WaitEventTimes("pod", event, "Marking for deletion", 2)
	t.WaitEventTimes("kept", event, "Marking for deletion", 2)
	stays(t, "pod", "kept")
	admission.Accept(t, refusal)
	admission.Accept(t, noDeletion)
	t.WaitPodGone("pod")
	t.WaitPodGone("kept")
}}
