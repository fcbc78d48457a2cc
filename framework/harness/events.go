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
	return describe.FirstSeen(t.waitEvents(fmt.Sprintf("event %s of %s containing %q", reason, object, text), object, reason, text, 1))
}

// WaitEventTimes waits until such an event has occurred a number of times.
func (t *T) WaitEventTimes(object, reason, text string, times int32) {
	ginkgo.GinkgoHelper()
	t.waitEvents(fmt.Sprintf("event %s of %s containing %q, %d times", reason, object, text, times), object, reason, text, times)
}

// waitEvents returns the first of the awaited events.
func (t *T) waitEvents(what, object, reason, text string, times int32) (first *corev1.Event) {
	ginkgo.GinkgoHelper()
	t.Await(what, "", func(ctx context.Context, saw func(string)) error {
		return await.All(ctx, t.eventsAbout(object), func(events []*corev1.Event) bool {
			saw(describe.Events(events))
			match := slices.DeleteFunc(slices.Clone(events), func(e *corev1.Event) bool {
				return e.Reason != reason || !strings.Contains(e.Message, text)
			})
			got := int32(0)
			for _, e := range match {
				got += describe.Times(e)
			}
			if got >= times {
				first = match[0]
				saw(describe.Events(match))
			}
			return got >= times
		})
	})
	return first
}

// Events returns the current events about an object of the case as "reason: message", oldest first.
// A repeated event has its first message. To check the absence of an event, first wait for
// its successor.
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

func (t *T) eventsAbout(object string) await.Source {
	return await.NewSource(t.Client, &corev1.Event{}, t.Client.CoreV1().Events(t.Namespace), await.EventsAbout(object))
}
