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

package scheduler

import (
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/classic/sampledriver"
)

// Deallocation is requested after PreFilter has checked the claim.
func TestDeallocationIsRequestedDuringTheAttempt(t *testing.T) {
	story(t, func(w *world) {
		w.startDriver("one", sampledriver.Config{Devices: 1})
		w.startScheduler()
		w.settle()
		w.wantNodes(map[string]string{"p1": "a"})
		pod, err := w.CoreV1().Pods("ns").Create(w.Ctx, newPod("p2", "claim"), metav1.CreateOptions{})
		w.Must(err)
		synctest.Wait()
		cycle := newCycle()
		node, status := w.find(cycle, pod)
		if !status.IsSuccess() {
			t.Fatal(status)
		}
		record, err := w.classic.ClassicClaims("ns").Get(w.Ctx, "claim", metav1.GetOptions{})
		w.Must(err)
		record.Spec.DeallocationRequested = true
		_, err = w.classic.ClassicClaims("ns").Update(w.Ctx, record, metav1.UpdateOptions{})
		w.Must(err)
		synctest.Wait()
		if status := w.plugin.PreBind(w.Ctx, cycle, pod, node); !strings.Contains(status.Message(), "going to be deallocated") {
			t.Errorf("PreBind: %v", status)
		}
		w.wantClaim("claim", 1, "a")
	}, newClaim("claim", "one", shared), newPod("p1", "claim"))
}
