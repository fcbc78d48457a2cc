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

package testbed

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	k8stesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/spec"
)

func ours(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{spec.LabelManagedBy: spec.ManagedBy}}
}

func TestSweepRemovesOnlyWhatIsLabelled(t *testing.T) {
	theirs := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	objects := []runtime.Object{
		&corev1.Namespace{ObjectMeta: ours("dratest-a")},
		&corev1.Namespace{ObjectMeta: ours("dratest-system")},
		&corev1.Namespace{ObjectMeta: theirs("dratest-theirs")},
		&resourceapi.DeviceClass{ObjectMeta: ours("a")},
		&resourceapi.DeviceClass{ObjectMeta: theirs("their-class")},
		&resourceapi.DeviceTaintRule{ObjectMeta: ours("a")},
		&resourceapi.DeviceTaintRule{ObjectMeta: theirs("their-rule")},
		&resourceapi.ResourceSlice{ObjectMeta: ours("a")},
		&resourceapi.ResourceSlice{ObjectMeta: theirs("their-slice")},
		&admissionv1.ValidatingAdmissionPolicy{ObjectMeta: ours("a")},
		&admissionv1.ValidatingAdmissionPolicy{ObjectMeta: theirs("their-policy")},
		&admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: ours("a")},
		&admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: theirs("their-policy-binding")},
		&schedulingv1.PriorityClass{ObjectMeta: ours("dratest-a.important")},
		&schedulingv1.PriorityClass{ObjectMeta: theirs("dratest-their-priority")},
		&rbacv1.ClusterRole{ObjectMeta: ours("dratest-a.metrics-reader")},
		&rbacv1.ClusterRole{ObjectMeta: ours("dratest:dra-sim")},
		&rbacv1.ClusterRole{ObjectMeta: theirs("dratest-their-role")},
		&rbacv1.ClusterRoleBinding{ObjectMeta: ours("dratest-a")},
		&rbacv1.ClusterRoleBinding{ObjectMeta: ours("dratest:dra-sim")},
		&rbacv1.ClusterRoleBinding{ObjectMeta: theirs("dratest-their-binding")},
	}
	want := []string{
		"dratest-system", "dratest-their-binding", "dratest-their-priority", "dratest-their-role", "dratest-theirs", "dratest:dra-sim", "dratest:dra-sim",
		"their-class", "their-policy", "their-policy-binding", "their-rule", "their-slice",
	}
	for name, remove := range map[string]func(kubernetes.Interface) error{
		"sweep":  func(c kubernetes.Interface) error { _, err := sweep(t.Context(), c); return err },
		"tidy":   func(c kubernetes.Interface) error { return Tidy(t.Context(), c) },
		"settle": func(c kubernetes.Interface) error { return Settle(t.Context(), c) },
	} {
		client := fake.NewClientset(objects...)
		if err := remove(client); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, left(t, client)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Interrupting a proof must not leave its cases' objects.
func TestTidyGoesOnWhenItIsInterrupted(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := Tidy(ctx, kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL})); err != nil || asked.Load() == 0 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
}

// A controller labels its objects with its fabric's name; those of foreign fabrics are not dratest's.
func TestSweepRemovesWhatTheControllerOfAKilledRunHasLeft(t *testing.T) {
	made := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Labels: map[string]string{spec.LabelFabric: "fabric"}}
	}
	rule := func(name, driver string) *resourceapi.DeviceTaintRule {
		return &resourceapi.DeviceTaintRule{ObjectMeta: made(name), Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: &driver}}}
	}
	slice := func(name, driver string) *resourceapi.ResourceSlice {
		return &resourceapi.ResourceSlice{ObjectMeta: made(name), Spec: resourceapi.ResourceSliceSpec{Driver: driver}}
	}
	const ofCase, theirs, byHand = "killed-x7k2b.dra-conformance.github.io", "gpu.example.com", "standalone.dra-conformance.github.io"
	client := fake.NewClientset(
		slice("a", ofCase), slice("their-slice", theirs), rule("b", ofCase), rule("their-rule", theirs),
		slice("slice-by-hand", byHand), rule("rule-by-hand", byHand),
		&resourceapi.DeviceTaintRule{ObjectMeta: made("their-rule-for-all")},
	)
	if _, err := sweep(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"rule-by-hand", "slice-by-hand", "their-rule", "their-rule-for-all", "their-slice"}, left(t, client)); d != "" {
		t.Error(d)
	}
}

// A killed case's node, with pods no kubelet ends, kept their namespace from going, and so the test driver from being
// removed.
func TestSweepRemovesNodesOfAKilledCaseWithTheirPods(t *testing.T) {
	pod := func(name, node string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "dratest-a", Name: name}, Spec: corev1.PodSpec{NodeName: node}}
	}
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: ours("dratest-a")},
		&corev1.Node{ObjectMeta: ours("labelled")},
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "dratest-theirs"}},
		pod("stuck", "dratest-a"), pod("other", "labelled"), pod("theirs", "dratest-theirs"),
	)
	var deleted []string
	client.PrependReactor("delete", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		d := action.(k8stesting.DeleteAction)
		grace := d.GetDeleteOptions().GracePeriodSeconds
		if d.GetResource().Resource == "pods" && (grace == nil || *grace != 0) {
			t.Errorf("pod %s is left to the kubelet", d.GetName())
		}
		deleted = append(deleted, d.GetResource().Resource+" "+d.GetName())
		return false, nil, nil
	})
	if _, err := sweep(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"nodes dratest-a", "pods stuck"}, deleted); d != "" {
		t.Error(d)
	}
}

// left returns the names of all cluster-scoped objects of the kinds created by cases.
func left(t *testing.T, client kubernetes.Interface) (names []string) {
	t.Helper()
	add := func(list runtime.Object, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		err = meta.EachListItem(list, func(o runtime.Object) error {
			names = append(names, o.(metav1.Object).GetName())
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, all := t.Context(), metav1.ListOptions{}
	namespaces, err := client.CoreV1().Namespaces().List(ctx, all)
	add(namespaces, err)
	classes, err := client.ResourceV1().DeviceClasses().List(ctx, all)
	add(classes, err)
	rules, err := client.ResourceV1().DeviceTaintRules().List(ctx, all)
	add(rules, err)
	resourceSlices, err := client.ResourceV1().ResourceSlices().List(ctx, all)
	add(resourceSlices, err)
	policies, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicies().List(ctx, all)
	add(policies, err)
	policyBindings, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().List(ctx, all)
	add(policyBindings, err)
	priorities, err := client.SchedulingV1().PriorityClasses().List(ctx, all)
	add(priorities, err)
	roles, err := client.RbacV1().ClusterRoles().List(ctx, all)
	add(roles, err)
	bindings, err := client.RbacV1().ClusterRoleBindings().List(ctx, all)
	add(bindings, err)
	slices.Sort(names)
	return names
}

func going(name string) *corev1.Namespace {
	now := metav1.Now()
	n := &corev1.Namespace{ObjectMeta: ours(name)}
	n.DeletionTimestamp, n.Finalizers = &now, []string{"kubernetes"}
	return n
}

// Agents are needed as long as there are pods or claims, and not for the 5 s of an empty namespace's deletion. When
// they are gone the cluster may be another run's.
func TestSweepWaitsForWhatNeedsDrivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		empty := going("dratest-empty")
		empty.UID = "empty"
		client := fake.NewClientset(empty)
		left, err := sweep(t.Context(), client)
		if err != nil {
			t.Error(err)
		}
		next := &corev1.Namespace{ObjectMeta: ours("dratest-next")}
		next.UID = "next"
		if err := client.Tracker().Add(next); err != nil {
			t.Fatal(err)
		}
		if err := awaitGone(t.Context(), client, left); err == nil || !strings.Contains(err.Error(), "claims: dratest-empty (") {
			t.Errorf("got %v, want an error that names what stays, and that alone", err)
		}
		if err := client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("namespaces"), "", "dratest-empty"); err != nil {
			t.Fatal(err)
		}
		if err := awaitGone(t.Context(), client, left); err != nil {
			t.Error(err)
		}
		if _, err := client.CoreV1().Namespaces().Get(t.Context(), "dratest-next", metav1.GetOptions{}); err != nil {
			t.Errorf("another run's namespace: %v", err)
		}
	})
}

func TestSweepNamesWhatDoesNotGoAway(t *testing.T) {
	inside := metav1.ObjectMeta{Namespace: "dratest-stuck", Name: "stuck"}
	for _, stuck := range []runtime.Object{&corev1.Pod{ObjectMeta: inside}, &resourceapi.ResourceClaim{ObjectMeta: inside}} {
		synctest.Test(t, func(t *testing.T) {
			client := fake.NewClientset(going("dratest-stuck"), stuck, &resourceapi.DeviceClass{ObjectMeta: ours("a")})
			_, err := sweep(t.Context(), client)
			if err == nil || !strings.Contains(err.Error(), "dratest-stuck") {
				t.Errorf("%T: got %v", stuck, err)
			}
			if classes, _ := client.ResourceV1().DeviceClasses().List(t.Context(), metav1.ListOptions{}); len(classes.Items) != 0 {
				t.Errorf("%T: left behind: %v", stuck, classes.Items)
			}
		})
	}
}

// A failed case had a claim with a finalizer, and was gone before it removed it: each proof after it waited a minute
// for its namespace.
func TestSweepTakesFinalizersOfCases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := metav1.ObjectMeta{Namespace: "dratest-stuck", Name: "kept", Finalizers: []string{"example.com/kept", "kubernetes.io/other"}}
		client := fake.NewClientset(going("dratest-stuck"), &corev1.Pod{ObjectMeta: kept}, &resourceapi.ResourceClaim{ObjectMeta: kept})
		if _, err := sweep(t.Context(), client); !errors.Is(err, ErrLeft) {
			t.Errorf("got %v", err) // both stay, with another finalizer
		}
		pod, podErr := client.CoreV1().Pods("dratest-stuck").Get(t.Context(), "kept", metav1.GetOptions{})
		claim, claimErr := client.ResourceV1().ResourceClaims("dratest-stuck").Get(t.Context(), "kept", metav1.GetOptions{})
		if err := errors.Join(podErr, claimErr); err != nil {
			t.Fatal(err)
		}
		want := []string{"kubernetes.io/other"}
		if !slices.Equal(pod.Finalizers, want) || !slices.Equal(claim.Finalizers, want) {
			t.Errorf("pod %q, claim %q, want %q", pod.Finalizers, claim.Finalizers, want)
		}
	})
}

// A request cut off by the timeout does not hide leftovers.
func TestSweepNamesWhatWasLeftWhenTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "dratest-stuck", Name: "stuck"}}
		client := fake.NewClientset(going("dratest-stuck"), stuck)
		begin := time.Now()
		client.PrependReactor("list", "pods", func(k8stesting.Action) (bool, runtime.Object, error) {
			return time.Since(begin) > sweepTime/2, nil, context.DeadlineExceeded
		})
		if _, err := sweep(t.Context(), client); !errors.Is(err, ErrLeft) || !strings.Contains(err.Error(), "dratest-stuck") {
			t.Errorf("got %v", err)
		}
	})
}
