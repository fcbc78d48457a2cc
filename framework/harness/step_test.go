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
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Steps are for people and the log; notes are for the log only.
func TestStepsGoToTheJournal(t *testing.T) {
	var got []string
	f := newT(spec.Meta{ID: "area/case"}, &Env{Journal: func(p spec.Progress) { got = append(got, p.ID+": "+p.Step) }})
	f.say = io.Discard
	f.Step("create %s", "pod\nwith a second line")
	f.Note("pod is there")
	if d := cmp.Diff([]string{"area/case: create pod …"}, got); d != "" {
		t.Error(d)
	}
	if n := len(f.stepsSoFar()); n != 2 {
		t.Errorf("%d steps are kept for the report, want 2", n)
	}
}

// node/in-use-after-restart reads a kubelet's metrics for 20 s: each of the 200 looks was a step
// and a note in its timeline.
func TestLooksAreNoSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.ctx = t.Context()
		n := 0
		f.Poll("three of them", func(context.Context) (bool, string, error) {
			f.Poll("the number", func(context.Context) (bool, string, error) { n++; return true, "a number", nil })
			if n == 2 {
				f.Step("do something about it")
			}
			return n == 3, fmt.Sprintf("%d of them", n), nil
		})
		f.OccursWithin(time.Second, "one more", func(context.Context) (bool, string, error) {
			f.Poll("the number", func(context.Context) (bool, string, error) { return true, "a number", nil })
			return false, "no more", nil
		})
		f.Poll("the end", func(context.Context) (bool, string, error) { return true, "the end", nil })

		var got []string
		for _, s := range f.stepsSoFar() {
			got = append(got, s.text)
		}
		want := []string{"waiting for three of them", "do something about it", "  seen: 3 of them", "waiting for one more, for up to 1s", "  seen: not within 1s: no more", "waiting for the end", "  seen: the end"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}
