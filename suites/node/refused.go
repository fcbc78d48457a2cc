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
// whether the event came.
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
