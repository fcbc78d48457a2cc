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

package evictplan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/evictplan"
)

func TestReach(t *testing.T) {
	p, q, r := pod("p", withClaim("c"), withClaim("d")), pod("q", withExtended("e")), pod("r", withClaim("f"))
	elsewhere := pod("s", withClaim("g"))
	elsewhere.Namespace = "other"
	far := claim("g", elsewhere)
	far.Namespace = "other"
	pods := map[string]*corev1.Pod{"ns/p": p, "ns/q": q, "ns/r": r, "other/s": elsewhere}
	old := slice("old", 1)
	old.Spec.Pool.Name = "pool2"
	newer := slice("newer", 2)
	newer.Spec.Pool.Name = "pool2"
	free := claim("free", p, func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
	gone := claim("gone", pod("nobody", withClaim("gone")))
	inventory := evictplan.Inventory{
		Slices: some(slice("s", 1), old, newer),
		Claims: some(claim("c", p), claim("d", p), claim("e", q, ownedBy(q)), claim("f", r, tolerates(toleration("", -1))), far, free, gone,
			claim("other", p, device("x"))),
		Pod: func(namespace, name string) *corev1.Pod { return pods[namespace+"/"+name] },
	}
	for _, effect := range []resourceapi.DeviceTaintEffect{resourceapi.DeviceTaintEffectNone, resourceapi.DeviceTaintEffectNoExecute} {
		got := evictplan.ReachOf(rule("r", "dev", taint("k", effect)), inventory)
		if want := (evictplan.Reach{Published: 2, Allocated: 6, Pods: 3, Namespaces: 2}); got != want {
			t.Errorf("%s reaches %+v, want %+v", effect, got, want)
		}
	}
}

func TestCondition(t *testing.T) {
	none, noSchedule := taint("k", resourceapi.DeviceTaintEffectNone), taint("k", resourceapi.DeviceTaintEffectNoSchedule)
	for name, tc := range map[string]struct {
		taint   resourceapi.DeviceTaint
		reach   evictplan.Reach
		evicted int
		// status, reason and message of the condition
		want [3]string
	}{
		"one pod":     {noExecute("k"), evictplan.Reach{Pods: 1, Namespaces: 1}, 0, [3]string{"True", "PodsPendingEviction", "1 pod needs to be evicted in 1 namespace."}},
		"pods":        {noExecute("k"), evictplan.Reach{Pods: 3, Namespaces: 2}, 1, [3]string{"True", "PodsPendingEviction", "3 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller."}},
		"completed":   {noExecute("k"), evictplan.Reach{}, 2, [3]string{"False", "Completed", "2 pods evicted since starting the controller."}},
		"nothing yet": {noExecute("k"), evictplan.Reach{}, 0, [3]string{"False", "NotStarted", ""}},
		"no effect": {none, evictplan.Reach{Published: 1, Allocated: 1, Pods: 1, Namespaces: 1}, 0, [3]string{"False", "NoEffect",
			"1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. " +
				"This information will not be updated again. Recreate the DeviceTaintRule to trigger an update."}},
		"no effect, many": {none, evictplan.Reach{Published: 4, Allocated: 0, Pods: 2, Namespaces: 2}, 0, [3]string{"False", "NoEffect",
			"4 published devices selected. 0 allocated devices selected. 2 pods would be evicted in 2 different namespaces if the effect was NoExecute. " +
				"This information will not be updated again. Recreate the DeviceTaintRule to trigger an update."}},
		"other effect": {noSchedule, evictplan.Reach{}, 0, [3]string{"False", "OtherEffect", "Eviction only happens for the NoExecute effect."}},
		"other effect by now": {noSchedule, evictplan.Reach{}, 1, [3]string{"False", "OtherEffect",
			"Eviction only happens for the NoExecute effect. 1 pod evicted since starting the controller."}},
	} {
		t.Run(name, func(t *testing.T) {
			r := rule("r", "dev", tc.taint)
			condition, changed := evictplan.NextCondition(r, tc.reach, tc.evicted, begin)
			if diff := cmp.Diff(tc.want, [3]string{string(condition.Status), condition.Reason, condition.Message}); diff != "" || !changed {
				t.Errorf("wrong condition, changed: %t\n%s", changed, diff)
			}
			r.Status.Conditions = some(metav1.Condition{Type: "Other"}, condition)
			again, changed := evictplan.NextCondition(r, tc.reach, tc.evicted, begin.Add(time.Hour))
			if diff := cmp.Diff(condition, again); diff != "" || changed {
				t.Errorf("changes without reason:\n%s", diff)
			}
		})
	}
}

func TestConditionIsNotUpdatedTooOften(t *testing.T) {
	r := rule("r", "dev", noExecute("k"))
	if wait := evictplan.Wait(r, begin); wait != 0 {
		t.Errorf("the first one waits %s", wait)
	}
	condition, _ := evictplan.NextCondition(r, evictplan.Reach{}, 0, begin)
	r.Status.Conditions = some(condition)
	// One hour earlier: the clock was set back.
	for after, want := range map[time.Duration]time.Duration{-time.Hour: 0, 0: 10 * time.Second, 4 * time.Second: 6 * time.Second, time.Minute: 0} {
		if wait := evictplan.Wait(r, begin.Add(after)); wait != want {
			t.Errorf("after %s it waits %s, want %s", after, wait, want)
		}
	}
	r.Generation++
	if wait := evictplan.Wait(r, begin); wait != 0 {
		t.Errorf("a rule that was changed waits %s", wait)
	}
}
