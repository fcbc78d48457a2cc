package harness

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestRestartedDriver(t *testing.T) {
	pod := func(uid types.UID, restarts int32) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "p", UID: uid}, Spec: corev1.PodSpec{NodeName: "n"},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{RestartCount: restarts}}},
		}
	}
	for name, tc := range map[string]struct {
		after []corev1.Pod
		says  string
	}{
		"the same":  {[]corev1.Pod{pod("1", 1)}, ""},
		"restarted": {[]corev1.Pod{pod("1", 3)}, "pod gpu/p on node n was restarted 2 time(s)"},
		"replaced":  {[]corev1.Pod{pod("2", 0)}, "pod gpu/p on node n is gone"},
		"one more":  {[]corev1.Pod{pod("1", 1), pod("2", 5)}, ""},
	} {
		if got := strings.Join(restarted([]corev1.Pod{pod("1", 1)}, tc.after), "; "); got != tc.says {
			t.Errorf("%s: %q, want %q", name, got, tc.says)
		}
	}
}

// TestNodesThatACaseLeavesAlone are all but those on which it ends the driver.
func TestNodesThatACaseLeavesAlone(t *testing.T) {
	on := func(node string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "p-" + node, UID: types.UID(node)}, Spec: corev1.PodSpec{NodeName: node}}
	}
	for _, tc := range []struct {
		name     string
		restarts spec.NodeKind
		ended    []string
		says     string
	}{
		{"all", "", nil, "pod gpu/p-a on node a is gone; pod gpu/p-b on node b is gone"},
		{"but one", "", []string{"a", "a"}, "pod gpu/p-b on node b is gone"},
		{"none", "", []string{"a", "b"}, ""},
		{"nodes are restarted", spec.Worker, nil, ""},
	} {
		f := newFake(t)
		f.meta.Needs.Restarts = tc.restarts
		for _, node := range tc.ended {
			f.endsDriver(node)
		}
		if got := strings.Join(restarted(f.leftAlone([]corev1.Pod{on("a"), on("b")}), nil), "; "); got != tc.says {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.says)
		}
	}
}
