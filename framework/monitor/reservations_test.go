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

package monitor

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func pod(uid string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: "p", UID: types.UID(uid)}, Status: corev1.PodStatus{Phase: phase}}
}

func TestReservationsEndWithTheirPods(t *testing.T) {
	byHand := reservedFor(claim("c", "x"), "p")
	writtenBy(byHand, "dratest", "f:status", "f:reservedFor")
	for name, test := range map[string]struct {
		claim *resourceapi.ResourceClaim
		// then is the claim after a minute and a half.
		then      *resourceapi.ResourceClaim
		pod       *corev1.Pod
		disrupted bool
		want      string
	}{
		"pod runs":             {claim: reservedFor(claim("c", "x"), "p"), pod: pod("p", corev1.PodRunning)},
		"pod is gone":          {claim: reservedFor(claim("c", "x"), "p"), want: "stale-reservation"},
		"pod is another one":   {claim: reservedFor(claim("c", "x"), "p"), pod: pod("q", corev1.PodRunning), want: "stale-reservation"},
		"pod has ended":        {claim: reservedFor(claim("c", "x"), "p"), pod: pod("p", corev1.PodSucceeded), want: "stale-reservation"},
		"released in time":     {claim: reservedFor(claim("c", "x"), "p"), then: claim("c", "x")},
		"written by a case":    {claim: byHand},
		"no controller around": {claim: reservedFor(claim("c", "x"), "p"), disrupted: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, found := newReservations(), []observation{}
			r.see(stateOf(false, test.claim), t0)
			for now := t0; now.Before(after(2 * time.Minute)); now = now.Add(time.Second) {
				if now.Equal(after(45*time.Second)) && test.then != nil {
					r.see(stateOf(false, test.then), now)
				}
				for _, due := range r.due(now, test.disrupted) {
					found = append(found, r.answered(due, test.pod, now)...)
				}
			}
			if got := rules(found); got != test.want {
				t.Errorf("found %q, want %q", got, test.want)
			}
			r.see(without(test.claim), after(2*time.Minute))
			if len(r.all) != 0 {
				t.Errorf("%d reservations are left without a claim", len(r.all))
			}
		})
	}
}
