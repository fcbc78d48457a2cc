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

package sanity

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/requirements"
)

func TestChecksAreValid(t *testing.T) {
	known, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, c := range All() {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if ids[c.ID] || c.Area() != "sanity" || c.Source == "" || c.Run == nil {
			t.Errorf("check %s is there twice, in another area, without a source or does nothing", c.ID)
		}
		ids[c.ID] = true
		for _, id := range c.Requires {
			if !slices.ContainsFunc(known, func(r spec.Requirement) bool { return r.ID == id }) {
				t.Errorf("check %s requires %s, which there is not", c.ID, id)
			}
		}
	}
}

func TestBasicChecksAreThere(t *testing.T) {
	for _, id := range spec.BasicContract() {
		if !slices.ContainsFunc(Metas(), func(m spec.Meta) bool { return m.ID == id && m.DriverProfile() == spec.ProfileContract }) {
			t.Errorf("there is no check %s", id)
		}
	}
}

func TestJoin(t *testing.T) {
	const v1, v1beta1 = spec.GRPCv1, spec.GRPCv1beta1
	both := []spec.GRPCVersion{v1, v1beta1}
	passed, failed := verdict{status: spec.Passed, text: "seen"}, verdict{spec.Failed, "bad"}
	blocked, not := verdict{spec.Blocked, "no API"}, verdict{spec.NotApplicable, "too few"}
	for name, row := range map[string]struct {
		versions []spec.GRPCVersion
		verdicts map[spec.GRPCVersion]verdict
		want     spec.Outcome
	}{
		"both pass":        {both, map[spec.GRPCVersion]verdict{v1: passed, v1beta1: passed}, spec.Outcome{Status: spec.Passed, Reason: "seen"}},
		"one fails":        {both, map[spec.GRPCVersion]verdict{v1: blocked, v1beta1: failed}, spec.Outcome{Status: spec.Failed, Failure: "plugin API v1beta1: bad"}},
		"one is blocked":   {both, map[spec.GRPCVersion]verdict{v1: passed, v1beta1: blocked}, spec.Outcome{Status: spec.Blocked, Reason: "plugin API v1beta1: no API"}},
		"not applicable":   {both, map[spec.GRPCVersion]verdict{v1: not}, spec.Outcome{Status: spec.NotApplicable, Reason: "too few"}},
		"the only version": {both[:1], map[spec.GRPCVersion]verdict{v1: failed}, spec.Outcome{Status: spec.Failed, Failure: "bad"}},
	} {
		if diff := cmp.Diff(row.want, join(Check{}, row.versions, row.verdicts, time.Time{}, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A check ends anywhere, and its last verdict counts.
func TestDo(t *testing.T) {
	w := &world{withheld: map[pools.ID]string{}}
	for want, run := range map[verdict]func(*T){
		{spec.Passed, ""}:               func(*T) {},
		{spec.Passed, "saw 1"}:          func(t *T) { t.Notef("saw %d", 1) },
		{spec.Failed, "when: a; b"}:     func(t *T) { t.expect([]string{"a", "b"}, "when"); t.Notef("too late") },
		{spec.NotApplicable, "needs x"}: func(t *T) { t.NotApplicablef("needs %s", "x") },
	} {
		check := &T{world: w, ctx: t.Context()}
		check.NodeAccess = Local{}
		if got := check.do(run); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
