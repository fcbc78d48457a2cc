package harness

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNudgesOnlyPodsThatWait(t *testing.T) {
	lagging := event("e", "FailedPrepareDynamicResources", "claim is forbidden: node: no relationship found between node 'n' and this object", time.Now())
	for _, tc := range []struct {
		name  string
		event *corev1.Event
		want  bool
	}{
		{"lagging authorizer", lagging, true},
		{"failed prepare", event("e", "FailedPrepareDynamicResources", "out of coffee", time.Now()), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t, pod(func(*corev1.Pod) {}), tc.event)
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			f.nudge(ctx)
			p, err := f.Client.CoreV1().Pods(namespace).Get(t.Context(), "pod", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Annotations["dratest.io/nudge"] != ""; got != tc.want {
				t.Errorf("annotations %v", p.Annotations)
			}
			if got := len(f.steps) == 1; got != tc.want {
				t.Errorf("steps %v", f.steps)
			}
		})
	}
}
