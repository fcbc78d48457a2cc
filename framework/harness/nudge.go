package harness

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// authorizerLags is in the kubelet's event when it may not read a pod's claim yet:
// the API server's node authorizer learns from a watch of its own which pods are on
// a node, and the kubelet can be quicker (seen on v1.37.1 on a busy machine).
const authorizerLags = "no relationship found between node"

// nudge makes kubelets look again at pods of the case whose claims they were not
// allowed to read yet. They would do so by themselves, but only after their
// syncFrequency, 60 to 90 s by default, and no case is about that race. Changing an
// annotation makes a kubelet look at once. Every nudge is in the steps.
func (t *T) nudge(ctx context.Context) {
	done := map[types.UID]int32{}
	// It goes on until ctx ends, which is no error.
	_ = followAll(ctx, newSource(t.Client, &corev1.Event{}, t.Client.CoreV1().Events(t.Namespace), ""), func(events []*corev1.Event) bool {
		for _, e := range events {
			times := max(e.Count, 1)
			if !strings.Contains(e.Message, authorizerLags) || e.InvolvedObject.Kind != "Pod" || done[e.UID] >= times {
				continue
			}
			done[e.UID] = times
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"dratest.io/nudge":"%d of %s"}}}`, times, e.Name)
			_, err := t.Client.CoreV1().Pods(t.Namespace).Patch(ctx, e.InvolvedObject.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			if !apierrors.IsNotFound(err) {
				t.note("nudge the kubelet about pod %s, whose claim it was not yet allowed to read: %s", e.InvolvedObject.Name, orDone(err))
			}
		}
		return false
	})
}

func orDone(err error) string {
	if err != nil {
		return err.Error()
	}
	return "done"
}
