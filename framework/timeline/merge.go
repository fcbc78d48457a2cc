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

package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Bounds of a timeline: entries of one source about one object, and bytes of one text.
const (
	maxEntries = 250
	maxText    = 700
)

// Merge merges the entries of all sources in chronological order, except those outside of the case by more than a
// margin for clock skew. For an object with very many entries the middle is omitted, and noted in Missing.
func Merge(id string, started, ended time.Time, entries []spec.TimelineEntry, missing []string) spec.Timeline {
	const margin = 5 * time.Second
	t := spec.Timeline{SchemaVersion: spec.TimelineVersion, ID: id, Started: started, Ended: ended, Missing: slices.Clone(missing)}
	lanes := map[lane][]spec.TimelineEntry{}
	var order []lane
	for _, e := range entries {
		if e.Time.Before(started.Add(-margin)) || e.Time.After(ended.Add(margin)) {
			continue
		}
		e.Text = shorten(e.Text)
		l := lane{e.Source, e.Object}
		if lanes[l] == nil {
			order = append(order, l)
		}
		lanes[l] = append(lanes[l], e)
	}
	for _, l := range order {
		kept := inOrder(lanes[l])
		if more := len(kept) - maxEntries; more > 0 {
			t.Missing = append(t.Missing, fmt.Sprintf("%s %s: %d of %d entries, those in the middle", l.source, l.object, more, len(kept)))
			kept = slices.Concat(kept[:maxEntries/2], kept[len(kept)-maxEntries/2:])
		}
		t.Entries = append(t.Entries, kept...)
	}
	t.Entries = inOrder(t.Entries)
	return t
}

// lane is the scope of a bound.
type lane struct {
	source spec.TimelineSource
	object string
}

// inOrder keeps the original order of entries with the same time.
func inOrder(entries []spec.TimelineEntry) []spec.TimelineEntry {
	slices.SortStableFunc(entries, func(a, b spec.TimelineEntry) int { return a.Time.Compare(b.Time) })
	return entries
}

// shorten turns a text into one line of bounded length.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + " …"
}
