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

package perf

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// The first event counts: events can repeat.
func TestPodTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := &PodTimes{pods: map[string]SeenPod{}}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		times.see(pod)
		if got := times.Of("a"); got != (SeenPod{}) || times.Count(func(SeenPod) bool { return true }) != 1 {
			t.Errorf("got %+v", got)
		}
		began := time.Now()
		pod.Spec.NodeName = "n"
		times.see(pod)
		time.Sleep(time.Second)
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "c"}}
		times.see(pod)
		time.Sleep(time.Second)
		times.see(pod)
		if got := times.Of("a"); !got.Bound.Equal(began) || got.Running.Sub(began) != time.Second || got.Failed || !got.HasClaims {
			t.Errorf("got %+v", got)
		}
		pod.DeletionTimestamp, pod.Status.Phase = &metav1.Time{Time: began}, corev1.PodFailed
		if times.see(pod); times.Of("a").Failed {
			t.Error("a pod that is being deleted has failed")
		}
		times.see("no pod")
		times.forget(cache.DeletedFinalStateUnknown{Key: "default/a", Obj: pod})
		if times.Count(func(SeenPod) bool { return true }) != 0 {
			t.Error("a deleted pod is still there")
		}
	})
}
