package certify

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/drivers/declarations"
)

func TestTrialSaysWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pod   func(*corev1.Pod)
		event string
		err   error
		says  string
	}{
		{"runs", func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, "", nil, ""},
		{"not scheduled", func(*corev1.Pod) {}, "cannot allocate all claims", ErrNotThere, "it is not scheduled after 100ms: Warned cannot allocate all claims"},
		{"not registered", func(p *corev1.Pod) { p.Spec.NodeName = "a" }, "DRA driver x is not registered", ErrDriver, "the kubelet does not know it"},
		{"prepare fails", func(p *corev1.Pod) { p.Spec.NodeName = "a" }, "out of memory", ErrDriver, "it does not run after 100ms (limits.prepare): Warned out of memory"},
		{"no image", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Image: "x:1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}}}
		}, "", ErrNotThere, "the node has no image x:1 and cannot pull it"},
		{"no shell", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 127}}}}
		}, "", ErrNotThere, "must have sh and sleep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "trial"}}
			tc.pod(pod)
			event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "e"}, Type: corev1.EventTypeWarning, Reason: "Warned", Message: tc.event, LastTimestamp: metav1.Now()}
			_, err := awaitTrial(t.Context(), fake.NewClientset(pod, event), "ns", 100*time.Millisecond)
			if !errors.Is(err, tc.err) || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}

func TestHooks(t *testing.T) {
	for _, tc := range []struct {
		name string
		hook declarations.Hook
		says string
	}{
		{"works", declarations.Hook{Command: []string{"sh", "-c", `test "$DRATEST_CLUSTER" = c`}}, ""},
		{"fails", declarations.Hook{Command: []string{"sh", "-c", "echo no licence >&2; exit 7"}}, "no licence"},
		{"hangs", declarations.Hook{Command: []string{"sleep", "60"}, Timeout: 100 * time.Millisecond}, "it has not ended after 100ms (hooks.install.timeout)"},
		{"is not there", declarations.Hook{Command: []string{"no-such-program"}}, "no-such-program"},
		{"on a node", declarations.Hook{Command: []string{"true"}, On: declarations.OnNode}, "run on a node"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := runHook(t.Context(), "install", tc.hook, EnvCluster+"=c")
			if (err == nil) != (tc.says == "") || err != nil && (!errors.Is(err, ErrNotThere) || !strings.Contains(err.Error(), tc.says)) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
