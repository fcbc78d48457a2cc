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
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness"
)

// refused waits for the kubelet's event about unprepared claims or for the pod to run, and reports
// whether it was the event.
func refused(t *harness.T, name string) (said bool) {
	t.Poll("pod "+name+" to be refused its claims, or to run", func(ctx context.Context) (bool, string, error) {
		pod, err := t.Client.CoreV1().Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, "", err
		}
		events := t.Events(name)
		said = slices.ContainsFunc(events, func(e string) bool { return strings.HasPrefix(e, notPrepared) })
		return said || pod.Status.Phase == corev1.PodRunning, string(pod.Status.Phase) + " " + strings.Join(events, "; "), nil
	})
	return said
}
