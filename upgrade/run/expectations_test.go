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
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/expectations"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/upgrade/cases"
	"github.com/dra-conformance/dratest/upgrade/path"
)

// An expected failure fails no upgrade. The record keeps it for a resumed one, until its last day.
func TestExpectations(t *testing.T) {
	w := newWorld(t)
	w.cases[0].After = func(*harness.T, *cases.Notes, path.Step) { panic("container was restarted") }
	expect := func(id string) schema.Expectation {
		return schema.Expectation{Case: id, Reason: "known here", Issue: "example#1", Until: "9999-12-31"}
	}
	w.options.Expectations, w.options.PauseAfter = []schema.Expectation{expect("upgrade/a"), expect("upgrade/b")}, 1
	if _, err := w.run(false); err == nil {
		t.Fatal("it did not pause")
	}
	w.options.Expectations, w.options.PauseAfter = nil, 0
	r, err := w.run(true)
	if err != nil || r.Verdict != schema.Passed || r.Cases[0].Status != spec.Failed || r.Cases[1].Status != spec.Passed {
		t.Errorf("%s: %v %+v", r.Verdict, err, r.Cases)
	}
	var out bytes.Buffer
	Print(&out, r, w.options.ReportDir)
	for _, c := range []string{"Failed         upgrade/a", "Passed         upgrade/b"} {
		if want := c + "\n    expected to fail: known here (example#1, until 9999-12-31)\n"; !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
	r.Cases[1].Status, r.Expectations[0].Until = "", "2026-01-01"
	if err := r.save(w.options.ReportDir); err != nil {
		t.Fatal(err)
	}
	if err := resumed(w.options.ReportDir, nil).Clean(); !errors.Is(err, expectations.ErrExpired) {
		t.Errorf("resumed with an expired expectation: %v", err)
	}
}
