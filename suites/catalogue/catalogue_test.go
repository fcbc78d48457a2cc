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
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/issues"
	"github.com/dra-conformance/dratest/framework/prove"
	"github.com/dra-conformance/dratest/framework/prove/checks"
	"github.com/dra-conformance/dratest/framework/prove/lifecycle"
	"github.com/dra-conformance/dratest/framework/run"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites"
	"github.com/dra-conformance/dratest/suites/catalogue"
	"github.com/dra-conformance/dratest/suites/sanity"
	"github.com/dra-conformance/dratest/upgrade/cases"
)

var (
	update = flag.Bool("update", false, "write the generated files anew")
	proofs = flag.String("kills", "", "with -update: report directories of \"dratest prove mutants\", \"bugs\" and \"life\" whose results are added to kills.yaml")
	today  = flag.String("today", "", "fail if a known issue is due for review on this day, as 2027-01-31")
)

// all returns the cases of "dratest run", "dratest upgrade" and "dratest sanity".
func all() []spec.Meta {
	return slices.Concat(run.Metas(suites.All()), cases.Metas(), sanity.Metas())
}

func TestCatalogueIsUpToDate(t *testing.T) {
	want, err := catalogue.Render(all())
	if err != nil {
		t.Fatal(err)
	}
	checkGenerated(t, "../catalogue.yaml", want)
}

func TestKnownIssuesAreUpToDate(t *testing.T) {
	checkGenerated(t, "../known-issues.md", catalogue.RenderKnownIssues(all()))
}

// newDetections is the committed record with the results of -kills.
func newDetections(t *testing.T) []catalogue.Detection {
	t.Helper()
	known, err := catalogue.Detections()
	if err != nil {
		t.Fatal(err)
	}
	var records []prove.Record
	for dir := range strings.SplitSeq(*proofs, ",") {
		if dir == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, prove.RecordFile))
		if err != nil {
			t.Fatal(err)
		}
		var r prove.Record
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return catalogue.AddDetections(known, records...)
}

func TestDetectionsAreUpToDate(t *testing.T) {
	detections := newDetections(t)
	broken, err := catalogue.LoadMutants()
	if err != nil {
		t.Fatal(err)
	}
	// Ignores deleted mutants.
	detections = slices.DeleteFunc(detections, func(k catalogue.Detection) bool { return !broken.Has(k) })
	record, err := catalogue.RenderDetections(detections)
	if err != nil {
		t.Fatal(err)
	}
	checkGenerated(t, "kills.yaml", record)
	read, err := catalogue.ParseDetections(record)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(detections, read); diff != "" {
		t.Error(diff)
	}
}

func TestAddDetections(t *testing.T) {
	record := prove.Record{Where: "here", Results: []prove.Result{
		{ID: "killed-now", Seconds: 3.6, Finding: prove.Finding{Detected: true, By: []string{"b/b", "a/a"}, Note: "why\nand more"}},
		{ID: "survives-now", Seconds: 1, Finding: prove.Finding{Missed: []string{"a/a"}}},
		{ID: "not-here", Finding: prove.Finding{NotApplicable: true}},
		{ID: "no-verdict", Finding: prove.Finding{Detected: true, By: []string{"a/a"}, Problem: "no answer"}},
	}}
	known := []catalogue.Detection{{Mutant: "not-here", By: []string{"c/c"}, Where: "there"}, {Mutant: "survives-now", By: []string{"c/c"}}}
	want := []catalogue.Detection{
		{Mutant: "killed-now", By: []string{"a/a", "b/b"}, Seconds: 4, Message: "why", Where: "here"},
		{Mutant: "not-here", By: []string{"c/c"}, Where: "there"},
		{Mutant: "survives-now", Seconds: 1, Where: "here"},
	}
	if diff := cmp.Diff(want, catalogue.AddDetections(known, record)); diff != "" {
		t.Error(diff)
	}
}

// Two proofs may have the same bug, with independent results.
func TestAddDetectionsOfEachProof(t *testing.T) {
	result := func(by string) []prove.Result {
		return []prove.Result{{ID: "same", Finding: prove.Finding{Detected: true, By: []string{by}}}}
	}
	want := []catalogue.Detection{{Mutant: "same", By: []string{"a/a"}}, {Proof: "bugs", Mutant: "same", By: []string{"b/b"}}, {Proof: "life", Mutant: "same", By: []string{"c/c"}}}
	got := catalogue.AddDetections(nil, prove.Record{Proof: "mutants", Results: result("a/a")},
		prove.Record{Proof: checks.Proof().Name, Results: result("b/b")}, prove.Record{Proof: lifecycle.Proof().Name, Results: result("c/c")})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The record must not contain names of a proof's clusters or runs.
func TestAddDetectionsNamesNoNodes(t *testing.T) {
	for said, want := range map[string]string{
		"the kubelet of some-1-worker2 is this project's":                    "the kubelet of NODE is this project's",
		"(the dra-controller-manager of a-control-plane has ended)":          "(the dra-controller-manager of NODE has ended)",
		"its replicas differ: own on a-control-plane, stock on node-12":      "its replicas differ: own on NODE, stock on NODE",
		"all devices of the first node":                                      "all devices of the first node",
		"ResourceClaim sanity-x7k2p of d1f4c0de-1111-4222-8333-0123456789ab": "ResourceClaim sanity-NAME of UID",
		"claim_sanity_x7k2p_req, sanity-checks and /etc/cdi/d.json":          "claim_sanity_NAME_req, sanity-checks and /etc/cdi/d.json",
		"/a/tmp/dratest12345/k/plugins/d/dra.sock: refused":                  "ROOT/k/plugins/d/dra.sock: refused",
	} {
		record := prove.Record{Results: []prove.Result{{ID: "x", Finding: prove.Finding{Detected: true, By: []string{"a/a"}, Note: said}}}}
		if got := catalogue.AddDetections(nil, record)[0].Message; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestEachSanityCheckWasSeenToFail requires a detected driver bug for each check.
func TestEachSanityCheckWasSeenToFail(t *testing.T) {
	detections := newDetections(t)
	for _, m := range sanity.Metas() {
		if !slices.ContainsFunc(detections, func(k catalogue.Detection) bool { return slices.Contains(k.By, m.ID) }) {
			t.Errorf("no bug of a driver is recorded that %s has noticed: make certify-mutants, and add its results (-kills)", m.ID)
		}
	}
}

func TestKnownIssuesHaveRows(t *testing.T) {
	explored, err := os.ReadFile("../../framework/explore/known.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range all() {
		if m.KnownIssue == nil {
			continue
		}
		rows := slices.DeleteFunc(issues.All(), func(k spec.KnownIssue) bool { return k.ID != m.KnownIssue.ID })
		if diff := cmp.Diff(rows, []spec.KnownIssue{*m.KnownIssue}); diff != "" {
			t.Errorf("case %s: %s", m.ID, diff)
		}
		used[m.KnownIssue.ID] = true
	}
	for _, k := range issues.All() {
		if !used[k.ID] && !strings.Contains(string(explored), `issues.Known("`+k.ID+`")`) {
			t.Errorf("known issue %s belongs to no case: delete its row", k.ID)
		}
	}
}

// Tests do not fail because time passes: only the nightly workflow passes -today.
func TestKnownIssuesAreNotDue(t *testing.T) {
	if *today == "" {
		return
	}
	now, err := time.Parse(time.DateOnly, *today)
	if err != nil {
		t.Fatal(err)
	}
	for _, due := range catalogue.Due(all(), now) {
		t.Error(due)
	}
}

func TestDue(t *testing.T) {
	cases := []spec.Meta{
		{ID: "a/none"}, {ID: "a/later", KnownIssue: &spec.KnownIssue{Issue: "kubernetes#1", Review: "2027-02-01"}},
		{ID: "a/due", KnownIssue: &spec.KnownIssue{Issue: "kubernetes#2", Review: "2027-01-31"}},
	}
	now := time.Date(2027, time.January, 31, 12, 0, 0, 0, time.UTC)
	if got := catalogue.Due(cases, now); len(got) != 1 || got[0] != "a/due: review kubernetes#2, which was due on 2027-01-31" {
		t.Errorf("got %q", got)
	}
}

func checkGenerated(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("suites/%s is not what the code says, run \"make generate\" (-code +file):\n%s", filepath.Base(file), diff)
	}
}

func TestCasesAreValid(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range suites.All() {
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if seen[c.ID] {
			t.Errorf("case %s is there twice", c.ID)
		}
		seen[c.ID] = true
		if c.Run == nil {
			t.Errorf("case %s does nothing", c.ID)
		}
	}
}

func TestMutantsExistAndAreCaught(t *testing.T) {
	caught := map[spec.MutantID]bool{}
	for _, m := range spec.Mutants() {
		caught[spec.MutantID(m.ID)] = false
	}
	for _, c := range suites.All() {
		for _, id := range c.Catches {
			if _, known := caught[id]; !known {
				t.Errorf("case %s catches unknown %s", c.ID, id)
			}
			caught[id] = true
		}
	}
	for id, ok := range caught {
		if !ok {
			t.Errorf("no case catches mutant %s", id)
		}
	}
}
