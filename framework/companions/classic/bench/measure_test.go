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

package bench

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/framework/perf"
)

func TestPodsNeedDevices(t *testing.T) {
	if _, err := prepare(t.Context(), perf.Site{Workload: perf.Workload{Nodes: 2, Devices: 4, Pods: 9}}); err == nil {
		t.Error("no error for more pods than devices")
	}
}

func TestAttempts(t *testing.T) {
	log := `I1124 06:36:12.645933    8752 schedule_one.go:101] "About to try and schedule pod" pod="default/a"
I1124 06:36:12.645955    8752 schedule_one.go:117] "Attempting to schedule pod" pod="default/a"
I1124 06:36:13.645955    8752 schedule_one.go:117] "Attempting to schedule pod" pod="default/a-1"
I1124 06:36:14.645955    8752 schedule_one.go:117] "Attempting to schedule pod" pod="default/a"
I1124 06:36:14.645956    8752 default_binder.go:70] "Attempting to bind pod to node" logger="Bind.DefaultBinder" pod="default/a" node="node-16"
I1124 06:36:15.645955    8752 schedule_one.go:117] "Attempting to schedule pod" pod="other/a"`
	got, err := attemptsIn(strings.NewReader(log))
	if err != nil || len(got) != 2 || got["a"] != 2 || got["a-1"] != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPodHasItsClaims(t *testing.T) {
	c := newPod("group", "pod", 2, parameters)
	if len(c.claims) != 2 || len(c.pod.Spec.ResourceClaims) != 2 || *c.pod.Spec.ResourceClaims[1].ResourceClaimName != c.claims[1].Name {
		t.Errorf("got %+v", c)
	}
	if raw := string(c.claims[0].Spec.Devices.Config[0].Opaque.Parameters.Raw); !strings.Contains(raw, `"parametersRef":{"kind":"ConfigMap","name":"perf"}`) {
		t.Errorf("parameters: %s", raw)
	}
	if c := newPod("group", "pod", 0, ""); len(c.pod.Spec.ResourceClaims) != 0 || c.pod.Labels[label] != "group" {
		t.Errorf("got %+v", c)
	}
}

// Controllers label each of 500 new nodes: pods waiting meanwhile took seven attempts.
func TestSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		client := fake.NewClientset(node)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 3 {
				time.Sleep(calm * 3 / 4)
				node.Labels = map[string]string{"change": fmt.Sprint(i)}
				if _, err := client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
					t.Error(err)
				}
			}
		}()
		began := time.Now()
		if err := (&bench{client: client}).settled(t.Context()); err != nil || time.Since(began) != 4*calm {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		<-done
	})
}
