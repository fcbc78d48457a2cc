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
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

func driverPod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: name, UID: "uid-0", Labels: map[string]string{"app": "gpu"}, OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Name: "gpu", UID: "set", Controller: ptr.To(true)}}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "plugin"}}},
		Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

// contractOf is a certification of a driver with more free devices on node b.
func contractOf(t *testing.T, disruptable bool) (*running, *testbed.Testbed) {
	t.Helper()
	other := driverPod("gpu-controller", "b")
	other.OwnerReferences = nil
	client := fake.NewClientset(driverPod("gpu-a", "a"), driverPod("gpu-b", "b"), other, &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "gpu", UID: "set"}, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "gpu"}}},
	})
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		next := driverPod(action.(clienttesting.DeleteAction).GetName()+"-next", "b")
		next.UID = "uid-1"
		return false, nil, client.Tracker().Add(next)
	})
	d := declared()
	d.Deploy.DaemonSet = "gpu/gpu"
	c := &running{
		declaration: d, reportDir: t.TempDir(), pods: []corev1.Pod{*driverPod("gpu-a", "a")},
		observation: observation{inClass: inClass{devices: map[string][]pools.Device{"a": nil, "b": nil}, free: map[string]int{"a": 1, "b": 2}}},
	}
	b, err := testbed.Open(t.Context(), testbed.Parts{Agents: agents{files: map[string][]byte{"sockets": []byte("x")}}}, testbed.Config{Kubeconfig: apiServer(t, installed()), Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	b.Client = client
	b.Target.Disruptable = disruptable
	return c, b
}

func TestContract(t *testing.T) {
	meta := spec.Meta{ID: "sanity/a", Checks: "It does.", Needs: spec.Needs{Contract: true}}
	for _, disruptable := range []bool{false, true} {
		c, b := contractOf(t, disruptable)
		checks := c.checks(Contract{Metas: []spec.Meta{meta}, Run: func(ctx context.Context, b *testbed.Testbed, d ContractDriver) error {
			if d.Node != "b" || d.Declaration.Driver != c.declaration.Driver || len(d.Only) != 1 || (d.Restart != nil) != disruptable || d.Upgrade != nil {
				t.Errorf("the checks are given %+v", d)
			}
			if disruptable {
				if err := d.Restart(ctx); err != nil {
					t.Error(err)
				}
				if _, err := b.Client.CoreV1().Pods("gpu").Get(ctx, "gpu-b-next", metav1.GetOptions{}); err != nil {
					t.Errorf("the driver's pod of node b was not replaced: %v", err)
				}
				if _, err := b.Client.CoreV1().Pods("gpu").Get(ctx, "gpu-controller", metav1.GetOptions{}); err != nil {
					t.Errorf("a pod with the same labels, but not of the daemon set: %v", err)
				}
			}
			d.Ended(spec.Outcome{ID: "sanity/a", Status: spec.Failed, Failure: "no answer"}, []string{"NodePrepareResources {} -> \x1b[31m"})
			return errors.New("silent")
		}})
		var got spec.Outcome
		err := checks.Run(t.Context(), b, []string{"sanity/a"}, func(o spec.Outcome) { got = o })
		if err == nil || err.Error() != "silent" || c.replaced != disruptable {
			t.Errorf("ends with %v, replaced: %t", err, c.replaced)
		}
		steps, _ := os.ReadFile(filepath.Join(c.reportDir, got.Evidence, "steps.txt"))
		if got.Evidence != "cases/sanity.a" || !strings.HasPrefix(string(steps), "sanity/a\nIt does.\n") || !strings.Contains(string(steps), "no answer") || strings.Contains(string(steps), "\x1b") {
			t.Errorf("evidence in %q: %s", got.Evidence, steps)
		}
		if _, err := os.Stat(filepath.Join(c.reportDir, got.Evidence, "nodes", "b", "sockets")); err != nil {
			t.Error(err)
		}
	}
}
