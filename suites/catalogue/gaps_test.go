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

package catalogue_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/catalogue"
	"github.com/dra-conformance/dratest/suites/requirements"
)

func TestRequirementsAndCasesMatch(t *testing.T) {
	known, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	checked, areas := map[spec.RequirementID]bool{}, map[string]bool{"": true}
	for _, c := range all() {
		areas[c.Area()] = areas[c.Area()] || len(c.Needs.Companions) > 0
		for _, r := range c.Requires {
			checked[r] = true
		}
	}
	const file = "../requirements/gaps.yaml"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := requirements.ParseGaps(before)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range catalogue.GapProblems(known, gaps, checked) {
		t.Error(problem)
	}
	for _, r := range known {
		if !areas[r.Area] {
			t.Errorf("requirement %s has area %q, must be empty or an area of cases with a companion", r.ID, r.Area)
		}
		delete(checked, r.ID)
	}
	for r := range checked {
		t.Errorf("requirement %s is in no file of suites/requirements", r)
	}
	most, err := catalogue.TotalCoverage(before)
	if err != nil {
		t.Fatal(err)
	}
	content, now, err := catalogue.RenderGaps(known, gaps)
	if err != nil {
		t.Fatal(err)
	}
	if err := now.Grown(most); err != nil {
		t.Fatal(err)
	}
	if now.NotObservable*100 > len(known)*15 {
		t.Errorf("%d of %d requirements are called not observable, more than 15 %%", now.NotObservable, len(known))
	}
	checkGenerated(t, file, content)
	t.Logf("%+v", now)
}

func TestGapProblems(t *testing.T) {
	all := []spec.Requirement{{ID: "kep-1/checked"}, {ID: "kep-1/unchecked"}}
	checked := map[spec.RequirementID]bool{"kep-1/checked": true}
	row := func(id spec.RequirementID, state spec.GapState) spec.Gap {
		return spec.Gap{ID: id, State: state, Why: "See types.go:1."}
	}
	open := row("kep-1/unchecked", spec.Open)
	for want, gaps := range map[string][]spec.Gap{
		"":                                 {open},
		"unchecked is checked by no case":  {row("kep-1/checked", spec.InPart)},
		"checked is open, but a case":      {open, row("kep-1/checked", spec.Open)},
		"checked is not observable, but":   {open, row("kep-1/checked", spec.NotObservable)},
		"unchecked is in part, but no":     {row("kep-1/unchecked", spec.InPart)},
		"gone is no requirement":           {open, row("kep-1/gone", spec.Open)},
		"unchecked has two rows":           {open, open},
		"must say why":                     {{ID: "kep-1/unchecked", State: spec.Open}},
		"has state \"closed\"":             {row("kep-1/unchecked", "closed")},
		"name the deciding line of source": {{ID: "kep-1/unchecked", State: spec.NotObservable, Why: "Nobody can see it."}},
	} {
		got := strings.Join(catalogue.GapProblems(all, gaps, checked), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%v: got %q, want something about %q", gaps, got, want)
		}
	}
}

func TestGapsDoNotGrow(t *testing.T) {
	all := []spec.Requirement{{ID: "kep-1/a", Level: spec.Must}, {ID: "kep-1/b", Level: spec.May}, {ID: "kep-2/a", Level: spec.Must}}
	gaps := []spec.Gap{{ID: "kep-2/a", State: spec.Open, Why: "It has no case."}, {ID: "kep-1/b", State: spec.InPart, Why: "Half."}}
	content, now, err := catalogue.RenderGaps(all, gaps)
	if err != nil {
		t.Fatal(err)
	}
	if written, err := catalogue.TotalCoverage(content); err != nil || written != now || now != (catalogue.Coverage{Whole: 1, InPart: 1, Open: 1}) {
		t.Errorf("counted %+v, wrote %+v (%v) in:\n%s", now, written, err, content)
	}
	for _, before := range []catalogue.Coverage{{InPart: 1}, {Open: 1}} {
		if now.Grown(before) == nil {
			t.Errorf("%+v is accepted after %+v", now, before)
		}
	}
	for _, before := range []catalogue.Coverage{now, {InPart: 2, Open: 1}} {
		if err := now.Grown(before); err != nil {
			t.Error(err)
		}
	}
}
