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

package verify_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/sign"
	"github.com/dra-conformance/dratest/reports/verify"
)

func TestRealRunHolds(t *testing.T) {
	if why := reasons(t, os.DirFS(run), known(t)); why != "" {
		t.Errorf("%s\nif how reports are made was changed on purpose: go test ./reports/verify -rewrite", why)
	}
}

const (
	failedCase = "core/ended-pod"
	evidence   = "cases/core.ended-pod/"
)

func index(c schema.ConformanceReport, id string) int {
	for i := range c.Cases {
		if c.Cases[i].ID == id {
			return i
		}
	}
	return -1
}

// edits are manipulations of a report. Each is rejected for one reason as is, and for another one with
// recomputed digests. Those detected only by a signature (docs/evidence.md) have no second reason.
var edits = []struct {
	name     string
	do       func(t *testing.T, dir string)
	reason   string
	reforged string
}{
	{"outcome in the journal", func(t *testing.T, dir string) {
		replace(t, dir, reports.JournalFile, `"id":"core/ended-pod","status":"Failed"`, `"id":"core/ended-pod","status":"Passed"`)
	}, "outcomes.jsonl was changed", `report.json: cases[core/ended-pod].status is "Failed", and outcomes.jsonl makes it "Passed"`},
	{"failed case as not applicable", func(t *testing.T, dir string) { reseal(t, dir, notApplicable) },
		`report.json: cases[core/ended-pod].status is "NotApplicable", and outcomes.jsonl makes it "Failed"`,
		"report.json: case core/ended-pod is left out with FeatureNotServed, and needs no feature"},
	{"outcome in the conformance report", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Cases[index(*c, failedCase)].Result = schema.CasePassed })
	}, `conformance-report.yaml: cases[core/ended-pod].result is "passed", and the other files make it "failed"`, `make it "failed"`},
	{"result of a profile", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) {
			c.Profiles[0].Result, c.Result = schema.ResultPassed, schema.ResultPassed
		})
	}, `profiles[core].result is "passed", and the other files make it "failed"`, `result is "passed", and the other files make it "failed"`},
	{"dropped case", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) {
			i := index(*c, failedCase)
			c.Cases = append(c.Cases[:i], c.Cases[i+1:]...)
		})
	}, "list of required cases: [core/ended-pod] is missing", "its suite requires other cases"},
	{"count", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Summary.Passed, c.Summary.Failed = 31, 0 })
	}, "summary.passed is 31, and the other files make it 30", "summary.failed is 0, and the other files make it 1"},
	{"version", func(t *testing.T, dir string) {
		replace(t, dir, reports.ConformanceFile, "kubernetes: v1.37.1", "kubernetes: v1.38.0")
	}, `cluster.kubernetes is "v1.38.0", and the other files make it "v1.37.1"`, `cluster.kubernetes is "v1.38.0"`},
	{"version in two files", func(t *testing.T, dir string) {
		replace(t, dir, reports.ConformanceFile, "kubernetes: v1.37.1", "kubernetes: v1.38.0")
		replace(t, dir, reports.JSONFile, `"kubernetes": "v1.37.1"`, `"kubernetes": "v1.38.0"`)
	}, "report.json was changed", "junit_01.xml: line 7 is"},
	{"swapped evidence", func(t *testing.T, dir string) {
		replace(t, dir, evidence+"steps.txt", failedCase, "core/one-device")
	}, evidence + "steps.txt was changed", evidence + "steps.txt: it is not about case core/ended-pod"},
	{"evidence without a trace elsewhere", func(t *testing.T, dir string) {
		replace(t, dir, evidence+"events.txt", "Normal", "Warning")
	}, evidence + "events.txt was changed", ""},
	{"line of JUnit", func(t *testing.T, dir string) {
		replace(t, dir, reports.JUnitFile, `name="result" value="failed"`, `name="result" value="passed"`)
	}, "junit_01.xml was changed", "junit_01.xml: line"},
	{"line of the page", func(t *testing.T, dir string) {
		replace(t, dir, reports.HTMLFile, "the claim is reserved again", "the claim is fine")
	}, "report.html is truncated or changed", "report.html: line"},
	{"line of the log: a result", func(t *testing.T, dir string) {
		replace(t, dir, reports.LogFile, "• [FAILED] [", "• [")
	}, "e2e.log is truncated or changed", "e2e.log: case core/ended-pod has passed there, and is Failed in outcomes.jsonl"},
	{"line of the log: a step", func(t *testing.T, dir string) {
		replace(t, dir, reports.LogFile, "create pod ended", "create pod other")
	}, "e2e.log was changed", "e2e.log: it has not the step of case core/ended-pod that outcomes.jsonl has: create pod ended"},
	{"line of the log: what a step saw", func(t *testing.T, dir string) {
		replace(t, dir, reports.LogFile, "pod ended is succeeded", "pod ended is in danger")
	}, "e2e.log was changed", ""},
	{"removed file", func(t *testing.T, dir string) { remove(t, dir, reports.LogFile) },
		"e2e.log is missing", "it has no digest of e2e.log"},
	{"removed journal", func(t *testing.T, dir string) { remove(t, dir, reports.JournalFile) },
		"outcomes.jsonl is missing", "it has no digest of outcomes.jsonl"},
	{"removed page", func(t *testing.T, dir string) { remove(t, dir, reports.HTMLFile) },
		"report.html is missing", "it has no digest of report.html"},
	{"removed evidence", func(t *testing.T, dir string) { remove(t, dir, evidence+"events.txt") },
		evidence + "events.txt is missing", "report.html: line"},
	{"removed evidence with its line in the page", func(t *testing.T, dir string) {
		remove(t, dir, evidence+"events.txt")
		reseal(t, dir, func(*schema.Report) {})
	}, "", ""},
	{"truncated file", func(t *testing.T, dir string) {
		if err := os.Truncate(filepath.Join(dir, reports.JSONFile), 1000); err != nil {
			t.Fatal(err)
		}
	}, "report.json is truncated", "report.json cannot be read"},
	{"added evidence", func(t *testing.T, dir string) {
		if err := os.WriteFile(filepath.Join(dir, evidence, "more.log"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}, evidence + "more.log is not in the report", "more.log is not in the report"},
	{"changed list: a level", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Cases[index(*c, failedCase)].Level = "SHOULD" })
	}, `list of required cases: [core/ended-pod].level is "SHOULD", and this dratest requires "MUST"`, "its suite requires other cases"},
	{"changed list: its digest", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Suite.RequiredCases = "sha256:00" })
	}, "its suite requires other cases (sha256:00", ""}, // undone by recomputed digests
	{"level of a requirement", func(t *testing.T, dir string) {
		replace(t, dir, reports.JSONFile, `"level": "MUST"`, `"level": "SHOULD"`)
	}, "report.json was changed", `report.json: case core/ended-pod: level is "SHOULD", and this dratest requires "MUST"`},
	{"time of an attempt", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Cases[0].Attempts[0].DurationSeconds = 0.001 })
	}, "cases[api/claim-spec-immutable].attempts[0].durationSeconds is 0.001", "the other files make it"},
	{"digest of the program", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Suite.Binary = "sha256:00" })
	}, "", ""},
	{"somebody else's name", func(t *testing.T, dir string) {
		edit(t, dir, func(c *schema.ConformanceReport) { c.Implementation.Organization = "Somebody Else" })
	}, "", ""},
}

// notApplicable marks the run's failed case as not applicable to the cluster.
func notApplicable(r *schema.Report) {
	for i := range r.Cases {
		if c := &r.Cases[i]; c.ID == failedCase {
			*c = schema.Case{
				ID: c.ID, Checks: c.Checks, Requirements: c.Requirements, Status: spec.NotApplicable,
				SkipCode: spec.SkipFeature, Reason: "needs feature DRAExtendedResource, which is switched off in the cluster",
			}
		}
	}
	r.Summary = schema.Summary{Verdict: schema.Passed, Total: 31, Passed: 30, NotApplicable: 1, MedianSeconds: 3.983, MaxSeconds: r.Summary.MaxSeconds}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestEditsAreRefused(t *testing.T) {
	list := known(t)
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t)
			e.do(t, dir)
			check(t, reasons(t, os.DirFS(dir), list), e.reason)
			if err := redigest(dir); err != nil {
				t.Fatal(err)
			}
			check(t, reasons(t, os.DirFS(dir), list), e.reforged)
		})
	}
}

func TestEachFormatIsRenderedAgain(t *testing.T) {
	list := known(t)
	for _, f := range reports.Formats() {
		if f.File == reports.JSONFile {
			continue // the source of the others
		}
		dir := copied(t)
		remove(t, dir, f.File)
		if err := redigest(dir); err != nil {
			t.Fatal(err)
		}
		check(t, reasons(t, os.DirFS(dir), list), "it has no digest of "+f.File)
		if err := os.WriteFile(filepath.Join(dir, f.File), []byte("all passed\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		edit(t, dir, func(c *schema.ConformanceReport) { c.Files = append(c.Files, schema.File{Path: f.File}) })
		if err := redigest(dir); err != nil {
			t.Fatal(err)
		}
		check(t, reasons(t, os.DirFS(dir), list), f.File+": line 1 is")
	}
}

// The page has its own timeline format, recreated from the timeline files.
func TestTimelinesAreHeldAgainstThePage(t *testing.T) {
	const id, name = "core/one-device", "cases/core.one-device/timeline.json"
	dir, list := copied(t), known(t)
	if err := os.Mkdir(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"schemaVersion":"` + spec.TimelineVersion + `","id":"core/one-device","started":"2026-11-22T21:31:15Z","ended":"2026-11-22T21:31:18Z"}`
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	replace(t, dir, reports.JournalFile, `"outcome":{"id":"core/one-device",`, `"outcome":{"id":"core/one-device","timeline":"`+name+`",`)
	reseal(t, dir, func(r *schema.Report) {
		for i := range r.Cases {
			if r.Cases[i].ID == id {
				r.Cases[i].Timeline = name
			}
		}
	})
	check(t, reasons(t, os.DirFS(dir), list), "")
	replace(t, dir, name, "21:31:18Z", "21:31:17Z")
	check(t, reasons(t, os.DirFS(dir), list), name+" was changed")
	if err := redigest(dir); err != nil {
		t.Fatal(err)
	}
	check(t, reasons(t, os.DirFS(dir), list), "report.html: line")
}

func TestFindingsAreHeldAgainstTheJournal(t *testing.T) {
	dir, list := copied(t), known(t)
	data, err := os.ReadFile(filepath.Join(dir, reports.JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	at := `{"time":"2026-11-22T21:31:18Z","id":"",`
	data = append(data, at+`"finding":{"time":"2026-11-22T21:31:18Z","rule":"double-allocated","severity":"violation","text":"x"}}`+"\n"+at+`"monitoring":{"requests":7,"cpuSeconds":1}}`+"\n"...)
	if err := os.WriteFile(filepath.Join(dir, reports.JournalFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	reseal(t, dir, func(r *schema.Report) {
		r.Monitoring = &spec.Monitoring{Requests: 7, CPUSeconds: 1}
		r.Findings = []spec.Finding{{Time: time.Date(2026, 11, 22, 21, 31, 18, 0, time.UTC), Rule: "double-allocated", Severity: spec.Violation, Text: "x"}}
		r.Summary.Violations = 1
		r.Reasons = append([]string{"1 found by monitors: double-allocated"}, r.Reasons...)
	})
	check(t, reasons(t, os.DirFS(dir), list), "")
	reseal(t, dir, func(r *schema.Report) { r.Findings[0].Severity = spec.Warning })
	check(t, reasons(t, os.DirFS(dir), list), `report.json: findings[0].severity is "warning", and outcomes.jsonl makes it "violation"`)
	reseal(t, dir, func(r *schema.Report) { r.Findings = nil })
	check(t, reasons(t, os.DirFS(dir), list), "report.json: findings")
	reseal(t, dir, func(r *schema.Report) { r.Monitoring = nil })
	check(t, reasons(t, os.DirFS(dir), list), "report.json: monitoring")
}

// check expects a reason; "" expects none.
func check(t *testing.T, why, want string) {
	t.Helper()
	if want == "" && why != "" || !strings.Contains(why, want) {
		t.Errorf("want %q in\n%s", want, why)
	}
}

func TestBadInput(t *testing.T) {
	version := func(to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			replace(t, dir, reports.ConformanceFile, "apiVersion: "+schema.ConformanceVersion, "apiVersion: "+to)
		}
	}
	for name, tc := range map[string]struct {
		do   func(t *testing.T, dir string)
		want error
	}{
		"older schema":          {version("dra-conformance.github.io/v1alpha0"), schema.ErrOtherVersion},
		"newer schema":          {version("dra-conformance.github.io/v1"), schema.ErrOtherVersion},
		"no conformance report": {func(t *testing.T, dir string) { remove(t, dir, reports.ConformanceFile) }, fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			tc.do(t, dir)
			if _, _, err := verify.Directory(os.DirFS(dir), map[schema.Engine]verify.Rules{schema.EngineRun: known(t)}); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	for name, tc := range map[string]struct {
		do   func(t *testing.T, dir string)
		want string
	}{
		"truncated conformance report": {func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, reports.ConformanceFile), 5000); err != nil {
				t.Fatal(err)
			}
		}, "conformance-report.yaml"},
		"path out of the directory": {func(t *testing.T, dir string) {
			edit(t, dir, func(c *schema.ConformanceReport) { c.Files[0].Path = "../../etc/passwd" })
		}, `"../../etc/passwd" is no path within the directory`},
		"a directory for a file": {func(t *testing.T, dir string) {
			remove(t, dir, reports.MarkdownFile)
			if err := os.Mkdir(filepath.Join(dir, reports.MarkdownFile), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "report.md is no regular file"},
		"other version of report.json": {func(t *testing.T, dir string) {
			replace(t, dir, reports.JSONFile, schema.Version, "dra-conformance.github.io/v1alpha1")
		}, "report.json cannot be read"},
		"malformed journal": {func(t *testing.T, dir string) {
			replace(t, dir, reports.JournalFile, `{"time"`, `{"tim`)
		}, "outcomes.jsonl: line 1 is malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			tc.do(t, dir)
			check(t, reasons(t, os.DirFS(dir), known(t)), tc.want)
		})
	}
}

func TestReportOfAnotherSuite(t *testing.T) {
	other := known(t)
	other.Required, other.Versions = other.Required[1:], nil
	_, _, err := verify.Directory(os.DirFS(run), map[schema.Engine]verify.Rules{schema.EngineRun: other})
	if !errors.Is(err, schema.ErrOtherVersion) || !strings.Contains(err.Error(), "verify it with dratest (devel), which wrote it") {
		t.Error(err)
	}
}

// A forger lacks the signer's key and can sign with a different key.
func TestSignatureNoticesEveryEdit(t *testing.T) {
	mine, theirs, list := keys(t), keys(t), known(t)
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dir := copied(t)
			if err := sign.Directory(t.Context(), dir, mine.private); err != nil {
				t.Fatal(err)
			}
			signed := conformance(t, dir)
			e.do(t, dir)
			if why := reasons(t, os.DirFS(dir), list) + signature(t, dir, mine.public); why == "" {
				t.Error("the edit is not noticed")
			}
			if err := redigest(dir); err != nil {
				t.Fatal(err)
			}
			if cmp.Equal(signed, conformance(t, dir)) {
				return // recomputed digests undo the edit
			}
			if why := signature(t, dir, mine.public); !strings.Contains(why, "subject[conformance-report.yaml].digest.sha256") {
				t.Errorf("with all digests made anew: %s", why)
			}
			if err := sign.Directory(t.Context(), dir, theirs.private); err != nil {
				t.Fatal(err)
			}
			if why := signature(t, dir, mine.public); !strings.Contains(why, "it is not signed by the key "+mine.public.ID) {
				t.Errorf("signed with another key: %s", why)
			}
		})
	}
}

type pair struct{ private, public sign.Key }

func keys(t *testing.T) pair {
	t.Helper()
	private, public, err := sign.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	var p pair
	if p.private, err = sign.PrivateKey(private); err != nil {
		t.Fatal(err)
	}
	if p.public, err = sign.PublicKey(public); err != nil {
		t.Fatal(err)
	}
	return p
}

func signature(t *testing.T, dir string, key sign.Key) string {
	t.Helper()
	_, why, err := sign.Verify(t.Context(), os.DirFS(dir), &key)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(why, "\n")
}

// Reports of runs match the published schemas.
func TestRealRunFollowsTheSchemaOfReports(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("../schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(run, reports.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{string(data): true, strings.Replace(string(data), `"status": "Passed"`, `"stat": 1`, 1): false} {
		content, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(content); (err == nil) != valid {
			t.Errorf("valid should be %t: %v", valid, err)
		}
	}
}

func TestRealRunFollowsTheSchema(t *testing.T) {
	s, err := jsonschema.NewCompiler().Compile("../schema/conformance-report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(run, reports.ConformanceFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		data  string
		valid bool
	}{
		"as it is":      {string(data), true},
		"unknown field": {string(data) + "verified: true\n", false},
		"unknown word":  {strings.Replace(string(data), "result: passed", "result: fine", 1), false},
	} {
		var content any
		if err := yaml.Unmarshal([]byte(tc.data), &content); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(content); (err == nil) != tc.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
