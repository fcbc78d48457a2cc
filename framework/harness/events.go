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

package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// WaitEvent waits for an event about an object of the case with a reason and a text. It returns the
// time of its first occurrence by the reporter's clock, perhaps in whole seconds.
func (t *T) WaitEvent(object, reason, text string) time.Time {
	ginkgo.GinkgoHelper()
	t.Step("wait for an event %s of %s containing %q", reason, object, text)
	seen := ""
	var at time.Time
	err := await.All(t.ctx, t.eventsAbout(object), func(events []*corev1.Event) bool {
		seen = describe.Events(events)
		i := slices.IndexFunc(events, func(e *corev1.Event) bool {
			return e.Reason == reason && strings.Contains(e.Message, text)
		})
		if i >= 0 {
			at = describe.FirstSeen(events[i])
		}
		return i >= 0
	})
	if err != nil {
		t.Fatalf("wait for an event %s of %s containing %q: %v\nlast seen: %s", reason, object, text, err, seen)
	}
	t.Note("there is an event %s of %s", reason, object)
	return at
}

// WaitEventTimes waits until such an event has occurred a number of times.
func (t *T) WaitEventTimes(object, reason, text string, times int32) {
	ginkgo.GinkgoHelper()
	t.Step("wait for an event %s of %s containing %q, %d times", reason, object, text, times)
	seen := ""
	err := await.All(t.ctx, t.eventsAbout(object), func(events []*corev1.Event) bool {
		seen = describe.Events(events)
		told := int32(0)
		for _, e := range events {
			if e.Reason == reason && strings.Contains(e.Message, text) {
				told += describe.Times(e)
			}
		}
		return told >= times
	})
	if err != nil {
		t.Fatalf("wait for an event %s of %s containing %q, %d times: %v\nlast seen: %s", reason, object, text, times, err, seen)
	}
}

// Events returns the current events about an object of the case as "reason: message", oldest first.
// A repeated event has its first message. To check that an event does not occur, first wait for
// something that follows it.
func (t *T) Events(object string) []string {
	ginkgo.GinkgoHelper()
	list, err := t.Client.CoreV1().Events(t.Namespace).List(t.ctx, metav1.ListOptions{FieldSelector: await.EventsAbout(object)})
	t.NoError(err, "list the events about %s", object)
	texts := make([]string, 0, len(list.Items))
	for _, e := range describe.InOrder(list.Items) {
		texts = append(texts, e.Reason+": "+e.Message)
	}
	return texts
}

// lastEvents are the most telling events about an object, for a failure's text.
func (t *T) lastEvents(object string) string {
	const most, patience = 5, 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), patience)
	defer cancel()
	list, err := t.Client.CoreV1().Events(t.Namespace).List(ctx, metav1.ListOptions{FieldSelector: await.EventsAbout(object)})
	if err != nil {
		return fmt.Sprintf("\nevents cannot be read: %v", err)
	}
	text := ""
	events := describe.WarningsFirst(describe.InOrder(list.Items))
	for _, e := range events[:min(most, len(events))] {
		text += "\nevent: " + describe.Event(e)
	}
	return text
}

func (t *T) eventsAbout(object string) await.Source {
	return await.NewSource(t.Client, &corev1.Event{}, t.Client.CoreV1().Events(t.Namespace), await.EventsAbout(object))
}
