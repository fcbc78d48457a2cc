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

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

func TestCaseLimit(t *testing.T) {
	cases := []harness.Case{
		{Meta: spec.Meta{ID: "a/quick", Timeout: 10 * time.Second}}, {Meta: spec.Meta{ID: "a/default"}},
		{Meta: spec.Meta{ID: "a/slow", WaitsFor: "something"}}, {Meta: spec.Meta{ID: "a/left-out"}},
	}
	s := Session{Plan: spec.Plan{Entries: []spec.Entry{{Meta: cases[0].Meta}, {Meta: cases[1].Meta}, {Meta: cases[2].Meta}, {Meta: cases[3].Meta, Skip: &spec.Skip{}}}}}
	for limit, want := range map[time.Duration][]time.Duration{
		0:                {10 * time.Second, 0, 0},
		30 * time.Second: {10 * time.Second, 30 * time.Second, 90 * time.Second},
		time.Hour:        {10 * time.Second, spec.DefaultTimeout, spec.DefaultTimeout},
	} {
		s.CaseLimit = limit
		planned := s.plannedCases(cases)
		if len(planned) != len(want) {
			t.Fatalf("%d cases are planned", len(planned))
		}
		for i, c := range planned {
			if c.Timeout != want[i] {
				t.Errorf("limit %s: %s may take %s instead of %s", limit, c.ID, c.Timeout, want[i])
			}
		}
	}
}

func TestTimeoutScale(t *testing.T) {
	cases := []harness.Case{{Meta: spec.Meta{ID: "a/quick", Timeout: 10 * time.Second}}, {Meta: spec.Meta{ID: "a/default"}}}
	s := Session{Plan: spec.Plan{Entries: []spec.Entry{{Meta: cases[0].Meta}, {Meta: cases[1].Meta}}}, TimeoutScale: 2.5}
	planned := s.plannedCases(cases)
	if planned[0].Timeout != 25*time.Second || planned[1].Timeout != 5*time.Minute || planned[1].TimeoutScale != 2.5 {
		t.Errorf("got %+v", planned)
	}
	s.CaseLimit = time.Minute
	if planned = s.plannedCases(cases); planned[1].Timeout != time.Minute {
		t.Errorf("above the limit: %s", planned[1].Timeout)
	}
}

// Without a node set aside, a case that holds its node is serial.
func TestHoldsNode(t *testing.T) {
	cases := []harness.Case{{Meta: spec.Meta{ID: "a/holds", SerialBecause: "It restarts the kubelet.", HoldsNode: true}}}
	for _, node := range []string{"", "worker3"} {
		s := Session{Plan: spec.Plan{Entries: []spec.Entry{{Meta: cases[0].Meta}}}, SetAside: node}
		if planned := s.plannedCases(cases); planned[0].HoldsNode != (node != "") {
			t.Errorf("node %q: got %+v", node, planned[0])
		}
	}
}
