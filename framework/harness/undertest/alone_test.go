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

package undertest

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/harness/harnesstest"
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
		want  string
	}{
		"the same":  {[]corev1.Pod{pod("1", 1)}, ""},
		"restarted": {[]corev1.Pod{pod("1", 3)}, "pod gpu/p on node n was restarted 2 time(s)"},
		"replaced":  {[]corev1.Pod{pod("2", 0)}, "pod gpu/p on node n is gone"},
		"one more":  {[]corev1.Pod{pod("1", 1), pod("2", 5)}, ""},
	} {
		if got := strings.Join(restarted([]corev1.Pod{pod("1", 1)}, tc.after), "; "); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestNodesThatACaseLeavesAlone: all except those where it ends the driver.
func TestNodesThatACaseLeavesAlone(t *testing.T) {
	on := func(node string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "p-" + node, UID: types.UID(node)}, Spec: corev1.PodSpec{NodeName: node}}
	}
	for _, tc := range []struct {
		name     string
		restarts spec.NodeKind
		ended    []string
		want     string
	}{
		{"all", "", nil, "pod gpu/p-a on node a is gone; pod gpu/p-b on node b is gone"},
		{"but one", "", []string{"a", "a"}, "pod gpu/p-b on node b is gone"},
		{"none", "", []string{"a", "b"}, ""},
		{"nodes are restarted", spec.Worker, nil, ""},
	} {
		d := &Driver{t: harnesstest.New(t, spec.Meta{Needs: spec.Needs{Restarts: tc.restarts}}, &harness.Env{}).T}
		for _, node := range tc.ended {
			d.endsDriver(node)
		}
		if got := strings.Join(restarted(d.leftAlone([]corev1.Pod{on("a"), on("b")}), nil), "; "); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestPodWhoseProcessesHaveEnded: life/published-again waited for the old pod to be gone, when the
// next one may already run, and was blocked on a busy machine.
func TestPodWhoseProcessesHaveEnded(t *testing.T) {
	pod := func(deleted bool, states ...corev1.ContainerState) (p corev1.Pod) {
		if deleted {
			p.DeletionTimestamp = &metav1.Time{}
		}
		for _, s := range states {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{State: s})
		}
		return p
	}
	running, over := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	for name, tc := range map[string]struct {
		pod            corev1.Pod
		ended, started bool
	}{
		"running":                   {pod(false, running), false, true},
		"told to end":               {pod(true, running), false, true},
		"ended in part":             {pod(true, over, running), false, true},
		"ended":                     {pod(true, over, over), true, false},
		"a crash that is restarted": {pod(false, over), false, false},
		"not said by the kubelet":   {pod(true), false, false},
		"waits for its image":       {pod(false, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}), false, false},
	} {
		if hasEnded(tc.pod) != tc.ended || hasStarted(tc.pod) != tc.started {
			t.Errorf("%s: ended %t, started %t", name, hasEnded(tc.pod), hasStarted(tc.pod))
		}
	}
}
