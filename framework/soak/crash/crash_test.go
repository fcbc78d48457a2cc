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

package crash_test

import (
	"slices"
	"testing"

	"github.com/dra-conformance/dratest/framework/soak/crash"
)

const (
	writing   = `I1121 18:00:00.000001    1 steps.go:62] "Writing checkpoint" claims=1`
	wrote     = `I1121 18:00:00.000002    1 steps.go:70] "Wrote checkpoint" claims=1`
	calling   = `I1121 18:00:00.000003    1 call.go:27] "Calling DRA driver" method="NodePrepareResources" driver="d" endpoint="/e" claims=[{"Namespace":"ns","Name":"c","UID":"c-1"}]`
	other     = `I1121 18:00:00.000003    1 call.go:27] "Calling DRA driver" method="NodeUnprepareResources" driver="d" endpoint="/e" claims=[{"Namespace":"ns","Name":"o","UID":"o-1"}]`
	answered  = `I1121 18:00:00.000004    1 call.go:31] "DRA driver has answered" method="NodePrepareResources" driver="d" claims=[{"Namespace":"ns","Name":"c","UID":"c-1"}] err=null`
	elsewhere = `I1121 18:00:00.000004    1 call.go:31] "DRA driver has answered" method="NodeUnprepareResources" driver="d" claims=[{"Namespace":"ns","Name":"o","UID":"o-1"}] err=null`
)

// A kubelet continues for a moment after the log line it is killed at.
func TestWhereItReallyDied(t *testing.T) {
	for name, tc := range map[string]struct {
		death  crash.Death
		called bool
		want   crash.Point
	}{
		"aside":                         {crash.Death{Line: `I1121 "Put the DRA checkpoint aside" path="x"`}, false, crash.Aside},
		"still aside":                   {crash.Death{Line: `I1121 "The DRA checkpoint is still aside from an earlier start" path="x"`}, false, crash.Aside},
		"before the file":               {crash.Death{Line: writing}, false, crash.BeforeCheckpoint},
		"file written, line not":        {crash.Death{Line: writing, Saved: true}, false, crash.AfterCheckpoint},
		"file and line written":         {crash.Death{Line: writing, After: []string{wrote}}, false, crash.AfterCheckpoint},
		"went on to call":               {crash.Death{Line: writing, After: []string{wrote, calling}}, false, crash.BeforePrepare},
		"went on to call in earnest":    {crash.Death{Line: wrote, After: []string{calling}}, true, crash.DuringPrepare},
		"call not sent":                 {crash.Death{Line: calling}, false, crash.BeforePrepare},
		"call sent":                     {crash.Death{Line: calling}, true, crash.DuringPrepare},
		"answered before it was dead":   {crash.Death{Line: calling, After: []string{answered}}, true, crash.AfterPrepare},
		"another call goes on":          {crash.Death{Line: calling, After: []string{elsewhere, writing, wrote}}, false, crash.BeforePrepare},
		"answer not saved":              {crash.Death{Line: answered}, true, crash.AfterPrepare},
		"answer about to be saved":      {crash.Death{Line: answered, After: []string{writing}}, true, crash.AfterPrepare},
		"answer was saved":              {crash.Death{Line: answered, After: []string{writing, wrote}}, true, crash.AfterCheckpoint},
		"answer saved":                  {crash.Death{Line: answered, Saved: true}, true, crash.AfterCheckpoint},
		"unprepare is another method":   {crash.Death{Line: other}, true, crash.DuringUnprepare},
		"unprepare that has come back":  {crash.Death{Line: elsewhere}, true, crash.AfterUnprepare},
		"another's call after a saving": {crash.Death{Line: elsewhere, After: []string{calling}}, true, crash.AfterUnprepare},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.death.At(func([]string) bool { return tc.called }); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTheLastCallIsAskedFor(t *testing.T) {
	crash.Death{Line: wrote, After: []string{calling}}.At(func(claims []string) bool {
		if !slices.Equal(claims, []string{"c-1"}) {
			t.Errorf("asked for %q", claims)
		}
		return true
	})
	if at := crash.At(`I1121 "Read checkpoint" path="x" claims=0`); at != "" {
		t.Errorf("got %s", at)
	}
}

func TestParse(t *testing.T) {
	all, err := crash.Parse([]string{"all"})
	if err != nil || !slices.Equal(all, crash.Points()) {
		t.Errorf("got %v, %v", all, err)
	}
	if some, err := crash.Parse([]string{"before-prepare", "during-unprepare"}); err != nil || len(some) != 2 || some[0].Held() || !some[1].Held() {
		t.Errorf("got %v, %v", some, err)
	}
	if _, err := crash.Parse([]string{"lunch"}); err == nil {
		t.Error("an unknown point is taken")
	}
}

func TestWhatIsNotToBeSaved(t *testing.T) {
	for _, tc := range []struct {
		point crash.Point
		line  string
		want  bool
	}{
		{crash.BeforeCheckpoint, "", true},
		{crash.AfterPrepare, calling, true},
		{crash.AfterPrepare, other, false},
		{crash.AfterPrepare, "", false},
		{crash.AfterUnprepare, other, true},
		{crash.AfterUnprepare, calling, false},
		{crash.AfterCheckpoint, writing, false},
		{"", calling, false},
	} {
		if got := tc.point.Unsaved(tc.line); got != tc.want {
			t.Errorf("%q at %q: %t", tc.point, tc.line, got)
		}
	}
}
