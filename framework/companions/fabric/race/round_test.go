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

package race

import (
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	good := outcome{winner: "east", holder: "east", second: "west", refused: true}
	if p := good.problem(); p != "" {
		t.Errorf("got %q, want none", p)
	}
	for want, change := range map[string]func(*outcome){
		"two winners":                   func(o *outcome) { o.both = true },
		"no winner":                     func(o *outcome) { o.winner = "" },
		`and "west" has the device`:     func(o *outcome) { o.holder = "west" },
		`and "" has the device`:         func(o *outcome) { o.holder = "" },
		"loser's pod was not scheduled": func(o *outcome) { o.second = "" },
		"pod was not scheduled anew":    func(o *outcome) { o.second = "east" },
	} {
		bad := good
		change(&bad)
		if p := bad.problem(); !strings.Contains(p, want) {
			t.Errorf("got %q, want %q in it", p, want)
		}
		var s summary
		s.add(good)
		s.add(bad)
		if s.good(2) || !strings.Contains(s.String(), "round 2: "+bad.problem()) {
			t.Errorf("%s: %s", want, s)
		}
	}
}

func TestRoundsWithoutARaceShowNothing(t *testing.T) {
	var s summary
	s.add(outcome{winner: "east", holder: "east", second: "west"})
	if s.good(1) {
		t.Error("no loser has ever asked for the device")
	}
	s.add(outcome{winner: "west", holder: "west", second: "east", refused: true})
	if !s.good(2) || s.good(3) || s.String() != "2 rounds: east won 1, west won 1; 1 losers were refused their allocated device; 0 violations" {
		t.Errorf("got %s", s)
	}
}
