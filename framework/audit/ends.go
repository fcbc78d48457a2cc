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

package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Unended reports pods still running when all of them should have ended.
func Unended(pods []corev1.Pod) []Violation {
	var found []Violation
	for i := range pods {
		pod := &pods[i]
		switch {
		case pod.DeletionTimestamp != nil:
			found = append(found, aboutPod(PodStuck, pod, nil, "was deleted at %s and is still there, phase %s", pod.DeletionTimestamp.UTC().Format("15:04:05"), pod.Status.Phase))
		case ended(pod):
		case pod.Spec.NodeName == "":
			found = append(found, aboutPod(PodStuck, pod, nil, "is not scheduled: %s", condition(pod, corev1.PodScheduled)))
		default:
			found = append(found, aboutPod(PodStuck, pod, nil, "is bound to %s and %s: %s", pod.Spec.NodeName, pod.Status.Phase, condition(pod, corev1.PodReady)))
		}
	}
	return Sorted(found)
}

// Failed reports failed pods when all of them should succeed. It ignores deleted pods: a pod fails if terminated
// before its containers run, or with a container ignoring the signal. It holds in every state of the pods.
func Failed(pods []corev1.Pod) []Violation {
	var found []Violation
	for i := range pods {
		pod := &pods[i]
		if pod.Status.Phase != corev1.PodFailed || pod.DeletionTimestamp != nil {
			continue
		}
		rule := PodFailed
		if startCut(pod) {
			rule = StartCut
		}
		found = append(found, aboutPod(rule, pod, nil, "has failed on node %q: %s", pod.Spec.NodeName, failure(pod)))
	}
	return Sorted(found)
}

// failure is the kubelet's message about a failed pod and its containers.
func failure(pod *corev1.Pod) string {
	var texts []string
	if pod.Status.Reason != "" || pod.Status.Message != "" {
		texts = append(texts, because(pod.Status.Reason, pod.Status.Message))
	}
	for _, c := range crashed(pod) {
		end := c.State.Terminated
		texts = append(texts, fmt.Sprintf("container %s ended with code %d (%s)", c.Name, end.ExitCode, because(end.Reason, end.Message)))
	}
	return cmp.Or(strings.Join(texts, "; "), "nobody has said why")
}

func crashed(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.DeleteFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.State.Terminated == nil || c.State.Terminated.ExitCode == 0
	})
}

// startCut reports whether cancelled container starts are a pod's only problem.
func startCut(pod *corev1.Pod) bool {
	failed := crashed(pod)
	return pod.Status.Reason == "" && len(failed) > 0 && !slices.ContainsFunc(failed, func(c corev1.ContainerStatus) bool {
		end := c.State.Terminated
		return end.Reason != "StartError" || !strings.HasSuffix(end.Message, context.Canceled.Error())
	})
}

// because joins a reason and a message; both are optional.
func because(reason, message string) string {
	if reason == "" || message == "" {
		return reason + message
	}
	return reason + ": " + message
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return cmp.Or(c.Message, c.Reason, string(c.Type)+"="+string(c.Status))
		}
	}
	return "nobody has said anything about it"
}
