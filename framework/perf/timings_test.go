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
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

func TestLatencies(t *testing.T) {
	start := time.Now()
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	m := &timings{
		scheduled: map[string]time.Time{"a": at(1), "b": at(4)},
		claims:    map[string]*claimTimings{"a-claim": {pod: "a", seen: at(0.25), allocated: at(0.75), gone: at(12)}, "b-claim": {pod: "b", seen: at(1.25)}},
	}
	got := m.latencies(map[string]time.Time{"a": start, "b": at(1)}, at(10)).Values
	want := map[Metric]float64{
		PodsPerSecond: 0.5, ScheduledP50: 1, ScheduledP90: 3, ScheduledP99: 3,
		ClaimMadeP50: 0.25, ClaimAllocatedP50: 0.5, ClaimGoneP50: 2,
	}
	for metric, value := range want {
		if math.Abs(got[metric]-value) > 1e-9 {
			t.Errorf("%s is %g, want %g", metric, got[metric], value)
		}
	}
}

// Claims exist before late devices: their creation takes no time.
func TestLatenciesFromWhenDevicesCame(t *testing.T) {
	start := time.Now()
	m := &timings{
		scheduled: map[string]time.Time{"a": start.Add(5 * time.Second)},
		claims:    map[string]*claimTimings{"a-claim": {pod: "a", seen: start, allocated: start.Add(4 * time.Second)}},
	}
	got := m.latencies(map[string]time.Time{"a": start.Add(3 * time.Second)}, start.Add(6*time.Second)).Values
	if _, made := got[ClaimMadeP50]; made || got[ClaimAllocatedP50] != 1 || got[ScheduledP50] != 2 {
		t.Errorf("got %v", got)
	}
}

// Unschedulable pods count as waiting, however short.
func TestPodsThatWait(t *testing.T) {
	m := &timings{}
	m.begin("pod-")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod-0"}}
	m.pod(pod)
	if m.numberWaiting() != 0 {
		t.Error("a pod that nobody has looked at waits")
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
	m.pod(pod)
	pod = pod.DeepCopy()
	pod.Spec.NodeName, pod.Status.Conditions = "node", nil
	m.pod(pod)
	if m.numberWaiting() != 1 || m.numberScheduled() != 1 {
		t.Errorf("%d have waited, %d are scheduled", m.numberWaiting(), m.numberScheduled())
	}
}

// Late watch events of the previous round are ignored.
func TestEventsOfARoundBeforeDoNotCount(t *testing.T) {
	m := &timings{}
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: "node"}}
	}
	claim := func(pod string) *resourceapi.ResourceClaim {
		return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: pod + "-claim", OwnerReferences: []metav1.OwnerReference{{Kind: "Pod", Name: pod, Controller: ptr.To(true)}}}}
	}
	m.begin("pod-1-")
	m.pod(pod("pod-1-0"))
	m.begin("pod-2-")
	m.pod(pod("pod-1-1"))
	m.claim(claim("pod-1-1"))
	if m.numberScheduled() != 0 || len(m.claims) != 0 {
		t.Errorf("%d pods and %d claims of the second round before there are any", m.numberScheduled(), len(m.claims))
	}
	m.pod(pod("pod-2-0"))
	m.claim(claim("pod-2-0"))
	m.gone(cache.DeletedFinalStateUnknown{Obj: claim("pod-2-0")})
	if m.numberScheduled() != 1 || len(m.claims) != 1 || m.claims["pod-2-0-claim"].gone.IsZero() {
		t.Errorf("%d pods are scheduled, claims are %v; want one of each, which is gone", m.numberScheduled(), m.claims)
	}
}

func TestWritesByPod(t *testing.T) {
	before := counts{writes: map[string]float64{"POST pods": 10, "POST events": 3}}
	after := counts{writes: map[string]float64{"POST pods": 14, "POST events": 11, "POST pods/binding": 4}}
	want := map[string]float64{"POST events": 2, "POST pods/binding": 1}
	if diff := cmp.Diff(want, after.writesSince(before, map[string]int{"POST pods": 4}, 4)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
