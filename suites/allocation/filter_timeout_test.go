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

package allocation

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A scheduler without a timeout reporting missing devices after 35 s used to pass.
func TestSearchWithoutLimitIsOverdue(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		took time.Duration
		ok   bool
	}{
		"found out":       {noDevices, time.Second, true},
		"ended":           {"running filters: " + timedOut, 11 * time.Second, true},
		"given up early":  {timedOut, time.Second, false},
		"no limit":        {noDevices, 35 * time.Second, false},
		"past the limit":  {noDevices, 12 * time.Second, false},
		"ended too late":  {timedOut, 20 * time.Second, false},
		"nothing":         {"", 40 * time.Second, false},
		"claim not there": {"resourceclaim not found", time.Second, false},
	} {
		if got := overdue(row.text, row.took); (got == "") != row.ok {
			t.Errorf("%s: got %q, want nothing wrong: %t", name, got, row.ok)
		}
	}
}

// API calls before and after the search used to count as part of it.
func TestSearchedIsTheSchedulersTime(t *testing.T) {
	created := metav1.Now()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: created}}
	if got := searched(pod); got != 0 {
		t.Errorf("told nothing: got %s", got)
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, LastTransitionTime: metav1.NewTime(created.Add(3 * time.Second))}}
	if got := searched(pod); got != 3*time.Second {
		t.Errorf("got %s, want 3s", got)
	}
}
