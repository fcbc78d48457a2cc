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

package certify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestEstimateIsLearned(t *testing.T) {
	var p spec.Plan
	for _, m := range []spec.Meta{{ID: "core/a"}, {ID: "core/b"}, {ID: "life/a", SerialBecause: "x"}, {ID: "life/costs", SerialBecause: "x"}} {
		p.Entries = append(p.Entries, spec.Entry{Meta: m})
	}
	p.Entries = append(p.Entries, spec.Entry{Meta: spec.Meta{ID: "core/skipped"}, Skip: &spec.Skip{}})
	file := filepath.Join(t.TempDir(), "made", driver+".json")
	for _, tc := range []struct {
		name    string
		started time.Duration
		message string
	}{
		{"nothing is known", 0, ""},
		{"guess", 2 * time.Second, ", about 2m10s (guessed from a pod start of 2s: "},
	} {
		if got := readTimings(file).estimate(p, 2, tc.started); !strings.HasPrefix(got, tc.message) || (got == "") != (tc.message == "") {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.message)
		}
	}

	report := schema.Report{Selection: schema.Selection{Parallel: 2}, Cases: []schema.Case{
		{ID: "core/a", Status: spec.Passed, DurationSeconds: 4}, {ID: "core/b", Status: spec.Failed, DurationSeconds: 120},
		{ID: "life/a", Status: spec.Passed, DurationSeconds: 60, Labels: []string{"Serial"}}, {ID: "life/costs", Status: spec.NotApplicable},
		// The estimate of the second certification had two seconds for each check without anything to check.
		{ID: "sanity/shares", Status: spec.NotApplicable, DurationSeconds: 0.1, Labels: []string{"Serial"}},
	}}
	if err := readTimings(file).learn(file, report, 5*time.Minute); err != nil {
		t.Fatal(err)
	}
	p.Entries = append(p.Entries[:3], spec.Entry{Meta: spec.Meta{ID: "sanity/shares", SerialBecause: "x"}})
	if got, want := readTimings(file).estimate(p, 2, 0), ", about 5m0s (4 of 4 timed in earlier certifications)"; got != want {
		t.Errorf("after a certification of 5m: %q, want %q", got, want)
	}
	for _, damaged := range []string{"{", `{"cases":{"core/a":1e300}}`, `{"cases":{"core/a":-1}}`, `{"cases":{"core/a":1},"rest":1e18}`} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := readTimings(file).estimate(p, 2, 0); got != "" {
			t.Errorf("from the damaged file %s: %q", damaged, got)
		}
	}
}
