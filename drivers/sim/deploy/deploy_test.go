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

package deploy

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func present(t *testing.T, client kubernetes.Interface) map[string]bool {
	t.Helper()
	var get metav1.GetOptions
	found := map[string]bool{}
	_, err := client.CoreV1().Namespaces().Get(t.Context(), Namespace, get)
	found["namespace"] = err == nil
	_, err = client.RbacV1().ClusterRoles().Get(t.Context(), clusterName, get)
	found["cluster role"] = err == nil
	_, err = client.RbacV1().ClusterRoleBindings().Get(t.Context(), clusterName, get)
	found["cluster role binding"] = err == nil
	_, err = client.AppsV1().DaemonSets(Namespace).Get(t.Context(), Name, get)
	found["daemon set"] = err == nil
	return found
}

func TestInstallAndUninstall(t *testing.T) {
	client := fake.NewClientset()
	for _, config := range []Config{{}, {Image: "example.com/sim:2", KubeletRoot: "/data/kubelet"}} {
		if err := Install(t.Context(), client, config); err != nil {
			t.Fatal(err)
		}
		for kind, there := range present(t, client) {
			if !there {
				t.Errorf("%s is missing", kind)
			}
		}
		daemonSet, err := client.AppsV1().DaemonSets(Namespace).Get(t.Context(), Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if image := daemonSet.Spec.Template.Spec.Containers[0].Image; image != config.withDefaults().Image {
			t.Errorf("image %q after installing %+v", image, config)
		}
	}
	for range 2 {
		if err := Uninstall(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	for kind, there := range present(t, client) {
		if there {
			t.Errorf("%s is left", kind)
		}
	}
}

// The deletion of a namespace is awaited as long as a controller works on it and time is left.
func TestUninstallAwaitsTheNamespace(t *testing.T) {
	for name, tc := range map[string]struct {
		conditions []corev1.NamespaceCondition
		takes      time.Duration
		want       error
		after      time.Duration
	}{
		"gone soon":                         {takes: 6 * time.Second, after: 6 * time.Second},
		"much in it":                        {conditions: []corev1.NamespaceCondition{{Type: corev1.NamespaceContentRemaining}}, takes: 90 * time.Second, after: 90 * time.Second},
		"more than there is time for":       {conditions: []corev1.NamespaceCondition{{Type: corev1.NamespaceContentRemaining}}, takes: time.Hour, want: context.DeadlineExceeded, after: 2 * time.Minute},
		"an API server without controllers": {takes: time.Hour, want: ErrAbandoned, after: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(namespace(Config{}))
				begin := time.Now()
				client.PrependReactor("delete", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
					deleted := namespace(Config{})
					deleted.Status.Conditions = tc.conditions
					return true, nil, client.Tracker().Update(corev1.SchemeGroupVersion.WithResource("namespaces"), deleted, "")
				})
				client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
					if time.Since(begin) < tc.takes {
						return false, nil, nil
					}
					return true, nil, apierrors.NewNotFound(corev1.Resource("namespaces"), Namespace)
				})
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				if err := Uninstall(ctx, client); !errors.Is(err, tc.want) {
					t.Errorf("got %v, want %v", err, tc.want)
				}
				if took := time.Since(begin).Round(time.Second); took != tc.after {
					t.Errorf("took %s, want %s", took, tc.after)
				}
			})
		})
	}
}

func TestUninstallLeavesWhatIsNotOurs(t *testing.T) {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: clusterName}}
	client := fake.NewClientset(role)
	if err := Uninstall(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if !present(t, client)["cluster role"] {
		t.Error("a foreign cluster role was deleted")
	}
}

func TestInstallRefusesWhatIsNotOurs(t *testing.T) {
	client := fake.NewClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}})
	err := Install(t.Context(), client, Config{})
	if err == nil || !strings.Contains(err.Error(), "is not dratest's") {
		t.Errorf("got %v", err)
	}
}

func TestNamespaceHasDeclaredMetadataAndStaysPrivileged(t *testing.T) {
	n := namespace(Config{Labels: map[string]string{spec.PodSecurity: "restricted", "team": "gpu"}, Annotations: map[string]string{"openshift.io/node-selector": ""}})
	if _, annotated := n.Annotations["openshift.io/node-selector"]; n.Labels[spec.PodSecurity] != "privileged" || n.Labels[spec.PodSecurityWarn] != "privileged" || n.Labels["team"] != "gpu" || n.Labels[spec.LabelManagedBy] != spec.ManagedBy || !annotated {
		t.Errorf("namespace: %v, %v", n.Labels, n.Annotations)
	}
}

func TestObjectsAreLabelled(t *testing.T) {
	for _, object := range []metav1.Object{namespace(Config{}), serviceAccount(), clusterRole(), clusterRoleBinding(), daemonSet(Config{})} {
		if object.GetLabels()[spec.LabelManagedBy] != spec.ManagedBy {
			t.Errorf("%T is not labelled", object)
		}
	}
}

func TestMountsHaveTheSamePathInside(t *testing.T) {
	pod := podSpec(Config{KubeletRoot: "/data/kubelet"})
	outside := map[string]string{}
	for _, volume := range pod.Volumes {
		outside[volume.Name] = volume.HostPath.Path
	}
	for _, mount := range pod.Containers[0].VolumeMounts {
		if outside[mount.Name] != mount.MountPath {
			t.Errorf("%s is at %s inside and at %s outside", mount.Name, mount.MountPath, outside[mount.Name])
		}
	}
}

func agent(node, image string, change func(*corev1.Pod)) corev1.Pod {
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: "dra-sim-" + node, Labels: meta("").Labels},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Image: image}}},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		},
	}
	change(&pod)
	return pod
}

func waiting(reason string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = nil
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Image: "i:1", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
		}}
	}
}

func TestCheck(t *testing.T) {
	ready := func(*corev1.Pod) {}
	tests := []struct {
		name     string
		pods     []corev1.Pod
		want     string
		hopeless bool
	}{
		{"ready", []corev1.Pod{agent("a", "i:1", ready), agent("b", "i:1", ready)}, "", false},
		{"one missing", []corev1.Pod{agent("a", "i:1", ready)}, "b: no pod yet", false},
		{"old image", []corev1.Pod{agent("a", "i:1", ready), agent("b", "i:0", ready)}, "b: no pod yet", false},
		{"starting", []corev1.Pod{agent("a", "i:1", ready), agent("b", "i:1", waiting("ContainerCreating"))}, "b: container waits: ContainerCreating", false},
		{"no image", []corev1.Pod{agent("a", "i:1", ready), agent("b", "i:1", waiting("ImagePullBackOff"))}, "b: image i:1 is not on the node", true},
		{"not ready", []corev1.Pod{agent("a", "i:1", ready), agent("b", "i:1", func(p *corev1.Pod) { p.Status.Conditions = nil })}, "b: pod is Running and not ready", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			problems, hopeless := check([]string{"b", "a"}, test.pods, "i:1")
			if got := strings.Join(problems, "; "); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") || hopeless != test.hopeless {
				t.Errorf("got %q, %v; want %q, %v", got, hopeless, test.want, test.hopeless)
			}
		})
	}
}

func TestWaitReady(t *testing.T) {
	set := daemonSet(Config{Image: "i:1"})
	stuck := agent("a", "i:1", waiting("ErrImageNeverPull"))
	err := WaitReady(t.Context(), fake.NewClientset(set, &stuck), []string{"a"})
	if !errors.Is(err, ErrNotReady) || !strings.Contains(err.Error(), "load it into the node") {
		t.Errorf("missing image: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err = WaitReady(ctx, fake.NewClientset(set), []string{"a"})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "a: no pod yet") {
		t.Errorf("no pod: %v", err)
	}
	ready := agent("a", "i:1", func(*corev1.Pod) {})
	if err := WaitReady(t.Context(), fake.NewClientset(set.DeepCopy(), &ready), []string{"a"}); err != nil {
		t.Errorf("ready: %v", err)
	}
}

func TestPod(t *testing.T) {
	gone := agent("a", "i:1", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })
	if _, err := Pod(t.Context(), fake.NewClientset(&gone), "a"); !errors.Is(err, ErrNotReady) {
		t.Errorf("no running pod: %v", err)
	}
	running := agent("a", "i:1", func(*corev1.Pod) {})
	if name, err := Pod(t.Context(), fake.NewClientset(&running), "a"); name != "dra-sim-a" || err != nil {
		t.Errorf("got %q, %v", name, err)
	}
}
