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

package faults_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/soak"
	"github.com/dra-conformance/dratest/framework/soak/faults"
)

type engine struct {
	answers []string
	err     error
	calls   []string
	// then is done after a call.
	then func()
}

func (e *engine) Feed(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	content, err := io.ReadAll(stdin)
	if err != nil {
		return "", err
	}
	return e.Run(ctx, append([]string{string(content)}, args...)...)
}

func (e *engine) Run(_ context.Context, args ...string) (string, error) {
	e.calls = append(e.calls, strings.Join(args, " "))
	answer := e.answers[min(len(e.calls), len(e.answers))-1]
	if e.then != nil {
		e.then()
	}
	return answer, e.err
}

func cluster(more ...runtime.Object) *fake.Clientset {
	node := func(name string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	return fake.NewClientset(append(more,
		node("cp", map[string]string{"node-role.kubernetes.io/control-plane": ""}), node("w2", nil), node("w1", nil),
		&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler-cp", Labels: map[string]string{"component": "kube-scheduler"}},
			Spec:       corev1.PodSpec{NodeName: "cp"},
		})...)
}

func lease(holder string, renewed time.Time) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "kube-scheduler"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &metav1.MicroTime{Time: renewed}, LeaseDurationSeconds: ptr.To[int32](15)},
	}
}

func kill(t *testing.T, e *engine, component string, client *fake.Clientset) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	k := faults.Kill{Component: component, Engine: e}
	return k.Do(ctx, soak.Target{Client: client})
}

func TestKillWaitsForSomethingToKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{answers: []string{"", "", "abc"}}
		if err := kill(t, e, "scheduler", cluster()); err != nil {
			t.Error(err)
		}
		if len(e.calls) != 3 || !strings.HasPrefix(e.calls[0], "exec cp sh -c ") || !strings.HasSuffix(e.calls[0], " sh KILL kube-scheduler-cp") {
			t.Errorf("ran %q", e.calls)
		}
	})
}

func TestKillWaitsForTheNextLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := cluster(lease("a", time.Now()))
		e := &engine{answers: []string{"abc"}}
		e.then = func() {
			time.AfterFunc(20*time.Second, func() {
				_, err := client.CoordinationV1().Leases("kube-system").Update(t.Context(), lease("b", time.Now()), metav1.UpdateOptions{})
				if err != nil {
					t.Error(err)
				}
			})
		}
		began := time.Now()
		if err := kill(t, e, "scheduler", client); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < 20*time.Second || took > 21*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestKillOfWhatElectsNoLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := cluster(lease("long gone", time.Now().Add(-time.Hour)))
		if err := kill(t, &engine{answers: []string{"abc"}}, "scheduler", client); err != nil {
			t.Error(err)
		}
	})
}

func TestKillKubelets(t *testing.T) {
	e := &engine{answers: []string{"killed"}}
	if err := kill(t, e, "kubelet", cluster()); err != nil {
		t.Error(err)
	}
	if len(e.calls) != 2 || !strings.HasPrefix(e.calls[0], "exec w1 ") || !strings.HasPrefix(e.calls[1], "exec w2 ") {
		t.Errorf("ran %q", e.calls)
	}
}

func TestKillThatCannotBeDone(t *testing.T) {
	broken := errors.New("no such container")
	if err := kill(t, &engine{answers: []string{""}, err: broken}, "scheduler", cluster()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := kill(t, &engine{}, "controller-manager", cluster()); err == nil || !strings.Contains(err.Error(), "shows none") {
		t.Errorf("got %v", err)
	}
}

// Each fault must be a violation for the audit.
func TestInject(t *testing.T) {
	for _, fault := range faults.Injections() {
		if strings.HasPrefix(fault.ID, "skipped-") {
			continue // drivers' calls are not in objects
		}
		t.Run(fault.ID, func(t *testing.T) {
			template := objects.Template("template", objects.Claim("", objects.Request("device", "class")))
			template.Namespace = "ns"
			slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}}
			slice.Spec = resourceapi.ResourceSliceSpec{Driver: "d", Pool: resourceapi.ResourcePool{Name: "p"}, Devices: []resourceapi.Device{{Name: "dev"}}}
			client := cluster(template, slice)
			err := fault.With("busybox").Do(t.Context(), soak.Target{Client: client, Namespace: "ns", Driver: "d"})
			if err != nil {
				t.Fatal(err)
			}
			claims, _ := client.ResourceV1().ResourceClaims("ns").List(t.Context(), metav1.ListOptions{})
			pods, _ := client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{})
			for i := range pods.Items {
				if slices.Equal(pods.Items[i].Spec.Containers[0].Command, []string{"false"}) {
					pods.Items[i].Status.Phase = corev1.PodFailed // as the kubelet says of it
				}
			}
			w := audit.World{Claims: claims.Items, Slices: []resourceapi.ResourceSlice{*slice}, Pods: pods.Items}
			found := slices.Concat(audit.Devices(w.Claims, w.Slices), audit.Pods(w), audit.Settled(w), audit.Unended(w.Pods), audit.Failed(w.Pods))
			if !slices.ContainsFunc(found, func(v audit.Violation) bool { return v.Rule == fault.Rule }) {
				t.Errorf("found only %v", found)
			}
		})
	}
	if _, err := faults.Find(faults.Injections(), "magic"); err == nil || !strings.Contains(err.Error(), "known are double-allocation, ") {
		t.Errorf("an unknown fault: %v", err)
	}
}

// Stock controllers are part of the controller manager, own ones have a pod.
func TestKillControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{answers: []string{"abc"}}
		if err := kill(t, e, "controllers", cluster()); err == nil || !strings.Contains(err.Error(), "the cluster shows none") {
			t.Errorf("got %v", err)
		}
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "dra-controller-manager-x", Labels: map[string]string{"component": "dra-controller-manager"}},
			Spec:       corev1.PodSpec{NodeName: "cp"},
		}
		if err := kill(t, e, "controllers", cluster(pod)); err != nil || len(e.calls) != 1 || !strings.HasSuffix(e.calls[0], " sh KILL dra-controller-manager-x") {
			t.Errorf("got %v, ran %q", err, e.calls)
		}
	})
}
