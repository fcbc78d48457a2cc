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

package run

import (
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
)

// An unfinished case is reported with its last step; steps after a case's end are ignored.
func TestStepsInTheJournal(t *testing.T) {
	dir := t.TempDir()
	w, err := journal.Append(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []spec.Progress{
		{ID: "a/hangs"}, {ID: "a/hangs", Step: "create pod"}, {ID: "a/hangs", Step: "wait for the pod"},
		{ID: "a/ends"}, {ID: "a/ends", Outcome: &spec.Outcome{ID: "a/ends", Status: spec.Passed}}, {ID: "a/ends", Step: "left behind"},
	} {
		if err := w.Write(journal.Record{Progress: p}); err != nil {
			t.Fatal(err)
		}
	}
	shown := 0
	c := &collector{reader: journal.Follow(dir), show: func(time.Time, journal.Record) { shown++ }}
	c.read(time.Now())
	if shown != 5 {
		t.Errorf("showed %d records, want 5", shown)
	}
	c.finish(time.Now(), "")
	if len(c.outcomes) != 2 || c.outcomes[1].ID != "a/hangs" || c.outcomes[1].LastStep != "wait for the pod" {
		t.Errorf("outcomes: %+v", c.outcomes)
	}
}
