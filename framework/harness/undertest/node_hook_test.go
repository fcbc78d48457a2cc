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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestHookOnANodeRunsThere(t *testing.T) {
	pod := nodeHookPod("busybox", spec.HookMakeUnhealthy, []string{"tool", "break"}, []string{"DRATEST_NODE=n1", "DRATEST_DEVICE=d"})
	if pod.GenerateName != "hook-makeunhealthy-" || !pod.Spec.HostPID || pod.Spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("pod is %+v", pod)
	}
	main := pod.Spec.Containers[0]
	if diff := cmp.Diff([]string{"chroot", "/node", "tool", "break"}, main.Command); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff([]corev1.EnvVar{{Name: "DRATEST_NODE", Value: "n1"}, {Name: "DRATEST_DEVICE", Value: "d"}}, main.Env); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if diff := cmp.Diff(objects.OnlyOn(&corev1.Pod{}, "n1").Spec.Affinity, pod.Spec.Affinity); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// TestHookOnANodeIsPrivilegedBesideRestrictedPods: with Pod Security restricted for the pods of cases, a declaration with a
// hook on nodes was refused.
func TestHookOnANodeIsPrivilegedBesideRestrictedPods(t *testing.T) {
	f, _, _ := newVendorCase(t)
	driver := f.driver
	driver.spec.Namespaces.Labels = map[string]string{spec.PodSecurity: "restricted"}
	driver.spec.Hooks = map[spec.HookName]spec.Hook{spec.HookInventory: {OnNode: true, Command: []string{"seq", "4"}, Timeout: time.Minute}}
	driver.hooks = vendorsHooks{}
	made := ""
	f.Cluster.PrependReactor("create", "pods", func(a k8stesting.Action) (bool, runtime.Object, error) {
		made = a.GetNamespace()
		a.(k8stesting.CreateAction).GetObject().(*corev1.Pod).Status.Phase = corev1.PodSucceeded
		return false, nil, nil
	})
	if err := driver.hook(t.Context(), spec.HookInventory, "DRATEST_NODE=worker"); err != nil {
		t.Fatal(err)
	}
	pods, err := f.Cluster.CoreV1().Pods(made).List(t.Context(), metav1.ListOptions{})
	if err != nil || made != spec.SystemNamespace || len(pods.Items) > 0 {
		t.Errorf("its pod was made in %q, with %d left, %v", made, len(pods.Items), err)
	}
}
