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

package certify

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestTrialSaysWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pod   func(*corev1.Pod)
		event string
		err   error
		want  string
	}{
		{"runs", func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, "", nil, ""},
		{"not scheduled", func(*corev1.Pod) {}, "FailedScheduling cannot allocate all claims", ErrNotThere, "it is not scheduled after 100ms: FailedScheduling cannot allocate all claims"},
		{"not registered", scheduled, "FailedPrepareDynamicResources DRA driver x is not registered", ErrDriver, "the kubelet does not know it"},
		{"prepare fails", scheduled, "FailedPrepareDynamicResources out of memory", ErrDriver, "does not run 100ms after it was scheduled (limits.prepare): FailedPrepareDynamicResources out of memory"},
		{"prepare failed once", func(p *corev1.Pod) {
			scheduled(p)
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionTrue}}
		}, "FailedPrepareDynamicResources out of memory", ErrNotThere, "nothing says that this is the driver's fault"},
		{"CDI file is missing", scheduled, "Failed Error: failed to create containerd task: CDI device injection failed: unresolvable CDI devices v/c=x", ErrDriver, "unresolvable CDI devices"},
		{"image is being pulled", scheduled, "", ErrNotThere, "give it more time"},
		{"no network", scheduled, "FailedCreatePodSandBox no address", ErrNotThere, "see to the node"},
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
			reason, message, _ := strings.Cut(tc.event, " ")
			event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "e"}, Type: corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.Now()}
			_, err := awaitTrial(t.Context(), fake.NewClientset(pod, event), "ns", 100*time.Millisecond)
			if !errors.Is(err, tc.err) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func scheduled(p *corev1.Pod) { p.Spec.NodeName = "a" }

// TestTimeCountsFromScheduling: a slow scheduler does not count against the driver.
func TestTimeCountsFromScheduling(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "trial"}}
	client := fake.NewClientset(pod)
	looks := 0
	client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		looks++
		p := pod.DeepCopy()
		if looks >= 4 { // after 600ms
			scheduled(p)
		}
		if looks >= 7 { // after 1.2s
			p.Status.Phase = corev1.PodRunning
		}
		return true, p, nil
	})
	if _, err := awaitTrial(t.Context(), client, "ns", 900*time.Millisecond); err != nil {
		t.Error(err)
	}
}

func TestRemovingTheTrial(t *testing.T) {
	for _, tc := range []struct {
		name   string
		refuse error
		blames bool
	}{
		{"its pod stays", nil, true},
		{"the server fails", errors.New("etcd is full"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client := fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "trial"}})
			client.PrependReactor("delete-collection", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
			if tc.refuse != nil {
				client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, tc.refuse })
			}
			if err := removeTrial(t.Context(), client, "ns", 300*time.Millisecond); err == nil || errors.Is(err, ErrDriver) != tc.blames {
				t.Errorf("ends with %v", err)
			}
		})
	}
}

// TestTrialThatFailedLeavesNoNamespace: the run ends with it, and somebody checked at once.
func TestTrialThatFailedLeavesNoNamespace(t *testing.T) {
	deleted := metav1.Now()
	going := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns", DeletionTimestamp: &deleted, Finalizers: []string{"kubernetes"}}}
	client := fake.NewClientset(going)
	if err := awaitGone(t.Context(), client, "ns", 300*time.Millisecond); err == nil || !strings.Contains(err.Error(), "ns was deleted and is not gone") {
		t.Errorf("does not wait for a namespace that is going: %v", err)
	}
	if err := client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("namespaces"), "", "ns"); err != nil {
		t.Fatal(err)
	}
	if err := awaitGone(t.Context(), client, "ns", time.Minute); err != nil {
		t.Error(err)
	}
}

// A namespace kept by the driver is not deleted, as reported.
func TestTrialThatStaysIsNotWaitedFor(t *testing.T) {
	client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}})
	if err := awaitGone(t.Context(), client, "ns", time.Minute); err != nil {
		t.Error(err)
	}
}

func TestHooks(t *testing.T) {
	for _, tc := range []struct {
		name string
		hook declarations.Hook
		want string
	}{
		{"works", declarations.Hook{Command: []string{"sh", "-c", `test "$DRATEST_CLUSTER" = c`}}, ""},
		{"fails", declarations.Hook{Command: []string{"sh", "-c", "echo no licence >&2; exit 7"}}, "no licence"},
		{"hangs", declarations.Hook{Command: []string{"sleep", "60"}, Timeout: 100 * time.Millisecond}, "it did not finish within 100ms: check what it waits for, or increase hooks.install.timeout"},
		{"is not there", declarations.Hook{Command: []string{"no-such-program"}}, "no-such-program"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := RunHook(t.Context(), "install", tc.hook, spec.HookCluster+"=c")
			if (err == nil) != (tc.want == "") || err != nil && (!errors.Is(err, ErrNotThere) || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
