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

package soak

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/audit"
)

func newFindings(t *testing.T) (l *findings, reported *[]string) {
	reported = new([]string)
	return &findings{dir: t.TempDir(), known: map[string]bool{}, report: func(v audit.Violation, file string, _ int) {
		*reported = append(*reported, v.String()+" "+file)
	}}, reported
}

func claimWith(name, version, device string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID(name), ResourceVersion: version},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: "d", Pool: "p", Device: device}},
		}}},
	}
}

func TestDoubleAllocationIsToldOnce(t *testing.T) {
	l, reported := newFindings(t)
	w := &Watcher{findings: l, uses: newUses()}
	w.see(map[types.UID]*resourceapi.ResourceClaim{"a": claimWith("a", "1", "x"), "b": claimWith("b", "2", "x")}, metav1.Now().Time)
	w.see(map[types.UID]*resourceapi.ResourceClaim{"a": claimWith("a", "3", "x"), "b": claimWith("b", "2", "x")}, metav1.Now().Time)
	// Without slices the device is also unknown, a warning.
	if len(*reported) != 2 || l.violations() != 1 || l.states != 2 {
		t.Fatalf("told %q in %d states", *reported, l.states)
	}
	data, err := os.ReadFile(filepath.Join(l.dir, l.list[0].Evidence))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# double-allocated: ", "kind: ResourceClaim", "name: a", "name: b", `resourceVersion: "1"`, "device: x"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %q in\n%s", want, data)
		}
	}
}

// The patience may end in the middle of a read, which then fails.
func TestSettleJudgesAfterAReadThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, reported := newFindings(t)
		w := &Watcher{client: fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "stuck", UID: "s"}}), Namespace: "ns", retry: &retrier{}, findings: l}
		began := time.Now()
		w.client.(*fake.Clientset).PrependReactor("list", "pods", func(kubetesting.Action) (bool, runtime.Object, error) {
			if took := time.Since(began); took > 0 && took < 10*time.Second {
				return true, nil, context.DeadlineExceeded
			}
			return false, nil, nil
		})
		if err := w.settle(t.Context(), 10*time.Second); err != nil || len(*reported) != 1 {
			t.Errorf("told %q, error %v", *reported, err)
		}
	})
}

func TestSettleSaysThatObjectsStillChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, reported := newFindings(t)
		client := fake.NewClientset()
		version := 0
		client.PrependReactor("list", "pods", func(kubetesting.Action) (bool, runtime.Object, error) {
			version++
			pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "restless", UID: "r", ResourceVersion: strconv.Itoa(version)}}
			return true, &corev1.PodList{Items: []corev1.Pod{pod}}, nil
		})
		w := &Watcher{client: client, Namespace: "ns", retry: &retrier{}, findings: l}
		if err := w.settle(t.Context(), time.Second); err == nil || len(*reported) != 0 {
			t.Errorf("told %q, error %v", *reported, err)
		}
	})
}

func TestOnlyWhatStaysSoIsConfirmed(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", UID: "p"}}
	pod.Spec.NodeName = "n"
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("c")}}
	for _, tc := range []struct {
		name    string
		between func(*fake.Clientset)
		want    int
	}{
		{"unchanged", func(*fake.Clientset) {}, 1},
		{"mended", func(c *fake.Clientset) { _ = c.CoreV1().Pods("ns").Delete(t.Context(), "p", metav1.DeleteOptions{}) }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, reported := newFindings(t)
			w := &Watcher{client: fake.NewClientset(pod), Namespace: "ns", retry: &retrier{}, findings: l}
			_, _, err := w.confirmed(t.Context(), func(world audit.World) []audit.Violation {
				if l.reads == 1 {
					defer tc.between(w.client.(*fake.Clientset))
				}
				return audit.Pods(world)
			})
			if err != nil || len(*reported) != tc.want || l.reads != 2 {
				t.Errorf("told %q after %d reads, error %v", *reported, l.reads, err)
			}
		})
	}
}

// Self-allocating drivers publish nothing: an unpublished device is no warning then.
func TestDevicesThatNobodyPublishes(t *testing.T) {
	l, reported := newFindings(t)
	w := &Watcher{
		client: fake.NewClientset(claimWith("claim", "1", "device")), Namespace: "ns", Driver: "d",
		retry: &retrier{patience: time.Minute}, findings: l, uses: newUses(), Unpublished: true,
	}
	if err := w.settle(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	if got := strings.Join(*reported, ", "); strings.Contains(got, "unknown-device") {
		t.Errorf("told %s", got)
	}
	w.Unpublished = false
	if err := w.settle(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	if got := strings.Join(*reported, ", "); !strings.Contains(got, "unknown-device") {
		t.Errorf("told %s", got)
	}
}
