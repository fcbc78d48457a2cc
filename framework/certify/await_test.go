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
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/framework/testbed"
)

// TestAwaitKeepsTheLastWholeWorld: with too few devices, time was up in the middle of a poll with slices but without
// the daemon set yet, and cases were skipped as if there were none.
func TestAwaitKeepsTheLastWholeWorld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, w := declared(), installed()
		d.Classes[0].DevicesPerNode = 3
		client := fake.NewClientset(&w.classes[0],
			&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "gpu"}, Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "gpu"}}}, Status: w.daemonSet.Status})
		b := &testbed.Testbed{Client: client}
		for _, s := range w.slices {
			s.Name = *s.Spec.NodeName
			if err := client.Tracker().Add(&s); err != nil {
				t.Fatal(err)
			}
			node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: s.Name}}
			if err := client.Tracker().Add(&node); err != nil {
				t.Fatal(err)
			}
			b.Target.Nodes = append(b.Target.Nodes, spec.Node{Name: s.Name, OS: "linux", Schedulable: true})
		}
		looks := 0
		client.PrependReactor("get", "daemonsets", func(clienttesting.Action) (bool, runtime.Object, error) {
			if looks++; looks < 3 {
				return false, nil, nil
			}
			time.Sleep(spec.DefaultRepublish)
			return true, nil, context.DeadlineExceeded
		})
		c := &running{declaration: d, observed: map[spec.DriverFeature]bool{}}
		got, err := c.await(t.Context(), b)
		if err != nil || got.daemonSet == nil || len(got.slices) != 2 {
			t.Errorf("got daemon set %v, %d slices, %v", got.daemonSet != nil, len(got.slices), err)
		}
		if len(c.observation.short) != 2 {
			t.Errorf("what there is too little of: %v", c.observation.short)
		}
	})
}
