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
	"errors"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/framework/harness/await"
	"github.com/dra-conformance/dratest/framework/harness/describe"
)

// Await waits for what. wait passes each observation to saw, and the last one becomes the note of the
// wait, because a wait may also end by seeing something else. If wait returns an error, the failure has the
// last observation and the events about object, unless object is empty.
//
// Waits inside the look of Poll or OccursWithin are silent: they run ten times a second.
func (t *T) Await(what, object string, wait func(ctx context.Context, saw func(string)) error) {
	ginkgo.GinkgoHelper()
	silent := t.looking.Load() > 0
	if !silent {
		t.Step("waiting for %s", what)
	}
	began, last := time.Now(), "nothing"
	if err := wait(t.ctx, func(seen string) { last = seen }); err != nil {
		timedOut, events := "", ""
		if errors.Is(t.ctx.Err(), context.DeadlineExceeded) {
			timedOut = fmt.Sprintf("timed out after %s ", time.Since(began).Round(time.Second/10))
		}
		if object != "" {
			events = t.lastEvents(object)
		}
		// spec.LastSeen splits this.
		t.Fatalf("%swaiting for %s: %v%s\nlast seen: %s", timedOut, what, err, events, last)
	}
	if !silent {
		t.Note("seen: %s", firstLine(last))
	}
}

func (t *T) look(ctx context.Context, look func(ctx context.Context) (bool, string, error)) (bool, string, error) {
	t.looking.Add(1)
	defer t.looking.Add(-1)
	return look(ctx)
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
