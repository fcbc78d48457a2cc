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

package console

import (
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/clusters/progress/live"
	"github.com/dra-conformance/dratest/framework/run/journal"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestView(t *testing.T) {
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	c := New(io.Discard, "", 54, 4, start)
	show := func(seconds int, p spec.Progress) {
		p.Time = at(seconds)
		c.Show(at(seconds), journal.Record{Progress: p})
	}
	ended := func(seconds int, id string, status spec.Status) {
		show(seconds, spec.Progress{ID: id, Outcome: &spec.Outcome{ID: id, Status: status, Duration: 4 * time.Second}})
	}
	show(0, spec.Progress{ID: "core/b"})
	show(0, spec.Progress{ID: "core/a"})
	show(1, spec.Progress{ID: "core/b", Step: "create pod"})
	if d := cmp.Diff(live.View{Total: 54, Text: "0 of 54 done", Lines: []string{
		"core/a                                     2s  ", "core/b                                     2s  create pod",
	}}, c.view(at(2))); d != "" {
		t.Error(d)
	}
	ended(4, "core/a", spec.Passed)
	ended(4, "core/c", spec.Failed)
	ended(4, "core/d", spec.Passed)
	// 51 cases of 4 s, 4 at a time, one of which has run for 4 s already.
	if got := c.view(at(5)).Text; got != "3 of 54 done, 1 failed, about 50s left" {
		t.Error(got)
	}
	for range 50 {
		ended(6, "core/x", spec.Passed)
	}
	// A case exceeding the median gives no estimate.
	if got := c.view(at(60)).Text; got != "53 of 54 done, 1 failed" {
		t.Error(got)
	}
}
