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
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// reasons returns why the report of a run does not verify.
func (w *world) reasons() string {
	w.t.Helper()
	_, why, err := verify.Directory(os.DirFS(w.options.ReportDir), map[schema.Engine]verify.Rules{
		schema.EngineUpgrade: {Required: Required(Parts{Cases: w.cases, Requirements: w.requirements}), Record: Verify},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(why, "\n")
}

func TestEditedUpgradesAreRefused(t *testing.T) {
	record := func(change func(*Record)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			r, err := LoadRecord(dir)
			if err != nil {
				t.Fatal(err)
			}
			change(&r)
			if err := r.save(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tc := range map[string]struct {
		do       func(t *testing.T, dir string)
		reason   string
		reforged string
	}{
		"outcome of a case": {record(func(r *Record) { r.Cases[0].Status = spec.Failed }), "upgrade.json was changed", `report.json: cases[upgrade/a].status is "Passed", and`},
		"failed step":       {record(func(r *Record) { r.Steps[0].Problem = "it does not start" }), "upgrade.json was changed", `report.json: summary.verdict is "Passed", and upgrade.json makes it "Failed"`},
		"dropped case":      {record(func(r *Record) { r.Cases = r.Cases[:1] }), "upgrade.json is truncated or changed", "number of cases"},
		"time of a step":    {record(func(r *Record) { r.Steps[0].Seconds += 100 }), "upgrade.json", "upgrade.md is not what upgrade.json makes it"},
		"versions": {func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "steps", "14", "versions.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "steps/14/versions.json", ""},
		"added file": {func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "steps", "more.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "steps/more.json is not in the report", "steps/more.json is not in the report"},
		"expected failure": {record(func(r *Record) { r.Expectations = []schema.Expectation{{Case: "upgrade/a"}} }), "upgrade.json was changed", "selection.expectations"},
		"dropped finding":  {record(func(r *Record) { r.Findings = nil }), "upgrade.json is truncated or changed", "report.json: monitoring and findings is"},
		"no record":        {func(_ *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, RecordFile)) }, "upgrade.json is missing", "it has no digest of upgrade.json"},
		"another schema":   {record(func(r *Record) { r.SchemaVersion = "9" }), "upgrade.json", `upgrade.json has schema version "9"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.finding = &spec.Finding{Severity: spec.Warning, Rule: spec.LeaseLost, Text: "another leader"}
			if _, err := w.run(false); err != nil {
				t.Fatal(err)
			}
			tc.do(t, w.options.ReportDir)
			if why := w.reasons(); !strings.Contains(why, tc.reason) {
				t.Errorf("want %q in\n%s", tc.reason, why)
			}
			redigest(t, w.options.ReportDir)
			if why := w.reasons(); !strings.Contains(why, tc.reforged) || tc.reforged == "" && why != "" {
				t.Errorf("with new digests: want %q in\n%s", tc.reforged, why)
			}
		})
	}
}

// redigest updates the report's digests to the current files.
func redigest(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, reports.ConformanceFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := schema.DecodeConformance(data)
	if err != nil {
		t.Fatal(err)
	}
	var found []schema.File
	for _, f := range c.Files {
		if got, err := reports.Digest(os.DirFS(dir), f.Path); err == nil {
			found = append(found, got)
		}
	}
	c.Files = found
	if data, err = schema.EncodeConformance(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
