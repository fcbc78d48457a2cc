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

package job

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func pod(phase corev1.PodPhase, states map[string]corev1.ContainerState) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: Name, Name: "dratest-x", Labels: map[string]string{"batch.kubernetes.io/job-name": Name}},
		Status:     corev1.PodStatus{Phase: phase},
	}
	for name, s := range states {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: name, State: s})
	}
	return p
}

func TestState(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	ended := func(code int32) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
	}
	waits := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	unscheduled := pod(corev1.PodPending, nil)
	unscheduled.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes"}}
	for _, row := range []struct {
		name    string
		pod     corev1.Pod
		waiting string // part of it
		code    int32
		failure string // part of it
	}{
		{"has no node", unscheduled, "to be scheduled: 0/3 nodes", 0, ""},
		{"starts", pod(corev1.PodPending, map[string]corev1.ContainerState{runner: waits("ContainerCreating"), keeper: waits("ContainerCreating")}), "to start", 0, ""},
		{"has no image", pod(corev1.PodPending, map[string]corev1.ContainerState{runner: waits("ImagePullBackOff")}), "", 0, "ImagePullBackOff"},
		{"runs", pod(corev1.PodRunning, map[string]corev1.ContainerState{runner: running, keeper: running}), "logs -f job/dratest -c run", 0, ""},
		{"has run", pod(corev1.PodRunning, map[string]corev1.ContainerState{runner: ended(4), keeper: running}), "", 4, ""},
		{"was fetched", pod(corev1.PodSucceeded, map[string]corev1.ContainerState{runner: ended(0), keeper: ended(0)}), "", 0, "after they were fetched"},
		{"was evicted", pod(corev1.PodFailed, nil), "", 0, "before they were fetched"},
	} {
		t.Run(row.name, func(t *testing.T) {
			waiting, code, err := state(row.pod)
			if !strings.Contains(waiting, row.waiting) || (waiting == "") != (row.waiting == "") || code != row.code {
				t.Errorf("waits for %q, exit code %d", waiting, code)
			}
			if row.failure == "" && err != nil || row.failure != "" && (!errors.Is(err, ErrNoResults) || !strings.Contains(err.Error(), row.failure)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEnded(t *testing.T) {
	if _, err := ended(t.Context(), fake.NewClientset(), Name, func(string) {}); !errors.Is(err, ErrNoResults) || !strings.Contains(err.Error(), "there is no Job") {
		t.Errorf("without a Job: %v", err)
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: Name, Name: Name, UID: "now"}}
	p := of(job, pod(corev1.PodPending, nil))
	client := fake.NewClientset(job, &p)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var said []string
	if _, err := ended(ctx, client, Name, func(line string) { said = append(said, line) }); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "to start") {
		t.Errorf("a pod that does not start: %v", err)
	}
	if len(said) != 1 {
		t.Errorf("said %q", said)
	}
}

// A run takes many minutes, during which fetch once printed nothing.
func TestEndedGivesSignsOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: Name, Name: Name, UID: "now"}}
		p := of(job, pod(corev1.PodRunning, map[string]corev1.ContainerState{runner: {Running: &corev1.ContainerStateRunning{}}}))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
		defer cancel()
		var said []string
		if _, err := ended(ctx, fake.NewClientset(job, &p), Name, func(line string) { said = append(said, line) }); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if len(said) != 3 || said[1] != "still waiting; the run says: fake logs" || said[2] != said[1] {
			t.Errorf("said %q", said)
		}
	})
}

func of(job *batchv1.Job, p corev1.Pod) corev1.Pod {
	p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}
	return p
}

// A Job deleted and applied again has the same name and pod labels.
func TestEndedOfTheJobThatIsThereNow(t *testing.T) {
	earlier := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: Name, Name: Name, UID: "earlier"}}
	now := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: Name, Name: Name, UID: "now"}}
	states := func(code int32) map[string]corev1.ContainerState {
		return map[string]corev1.ContainerState{
			runner: {Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}, keeper: {Running: &corev1.ContainerStateRunning{}},
		}
	}
	old, current := of(earlier, pod(corev1.PodRunning, states(4))), of(now, pod(corev1.PodRunning, states(0)))
	old.Name, current.Name = "dratest-a", "dratest-b"
	nothing := func(string) {}
	found, err := ended(t.Context(), fake.NewClientset(now, &old, &current), Name, nothing)
	if err != nil || found != (Fetched{Pod: "dratest-b"}) {
		t.Errorf("beside the pod of an earlier Job: %+v, %v", found, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if found, err := ended(ctx, fake.NewClientset(now, &old), Name, nothing); !errors.Is(err, context.DeadlineExceeded) || found.Pod != "" {
		t.Errorf("with only the pod of an earlier Job: %+v, %v", found, err)
	}
}
