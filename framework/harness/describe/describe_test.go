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

package describe

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A container with missing CDI devices was reported as "Back-off restarting failed container", like
// every container that does not start.
func TestWhatSaysWhyIsToldFirst(t *testing.T) {
	said := func(kind, reason string) *corev1.Event { return &corev1.Event{Type: kind, Reason: reason} }
	var got []string
	for _, e := range WarningsFirst([]*corev1.Event{
		said("Warning", "FailedScheduling"), said("Normal", "Scheduled"), said("Normal", "Pulled"), said("Warning", "Older"), said("Warning", "Failed"), said("Normal", "SandboxChanged"), said("Warning", "BackOff"),
	}) {
		got = append(got, e.Reason)
	}
	if diff := cmp.Diff([]string{"Failed", "Older", "BackOff", "FailedScheduling", "SandboxChanged", "Pulled", "Scheduled"}, got); diff != "" {
		t.Error(diff)
	}
}

// core/v1 and events.k8s.io record different times, and one release has both.
func TestWhenAnEventWasSaidFirst(t *testing.T) {
	first, last := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)
	created := metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(first)}
	for name, e := range map[string]*corev1.Event{
		"old":     {FirstTimestamp: metav1.NewTime(first), LastTimestamp: metav1.NewTime(last)},
		"new":     {EventTime: metav1.NewMicroTime(first), Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(last)}},
		"neither": {ObjectMeta: created},
	} {
		if got := FirstSeen(e); !got.Equal(first) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
