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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports"
	"github.com/dra-conformance/dratest/reports/profile"
	"github.com/dra-conformance/dratest/reports/schema"
	"github.com/dra-conformance/dratest/reports/verify"
)

// nextYear returns a build with an additional MUST and a renamed case.
func nextYear(t *testing.T) verify.Rules {
	t.Helper()
	r := known(t)
	r.Required = append(slices.Clone(r.Required), schema.RequiredCase{
		ID: "core/new", Level: spec.Must, Requirements: []spec.RequirementID{"kep-1/new"}, Profiles: []spec.ConformanceProfile{spec.ClusterTarget},
	})
	r.Required[slices.IndexFunc(r.Required, func(c schema.RequiredCase) bool { return c.ID == failedCase })].ID = "core/renamed"
	r.Versions = append(slices.Clone(r.Versions), profile.Version{Version: "v2", Lists: map[schema.Engine]string{schema.EngineRun: schema.RequiredDigest(r.Required)}})
	r.Build.Version = "v2.0.0"
	return r
}

// A new MUST does not invalidate earlier reports: it belongs to the next profile version.
func TestReportOfAnEarlierVersionHolds(t *testing.T) {
	check(t, reasons(t, os.DirFS(run), nextYear(t)), "")
	draft := copied(t)
	edit(t, draft, func(c *schema.ConformanceReport) { c.Profile.Version += profile.Draft })
	reseal(t, draft, func(*schema.Report) {})
	check(t, reasons(t, os.DirFS(draft), nextYear(t)), "")
}

// Another build can render a report differently. The report's contents are still verified.
func TestEditsOfAnEarlierVersionAreRefused(t *testing.T) {
	for name, e := range map[string]struct {
		do   func(t *testing.T, dir string)
		want string
	}{
		"level of a case": {func(t *testing.T, dir string) {
			edit(t, dir, func(c *schema.ConformanceReport) { c.Cases[index(*c, failedCase)].Level = spec.Should })
		}, "its suite requires other cases"},
		"dropped case": {func(t *testing.T, dir string) {
			edit(t, dir, func(c *schema.ConformanceReport) {
				i := index(*c, failedCase)
				c.Cases = append(c.Cases[:i], c.Cases[i+1:]...)
			})
		}, "its suite requires other cases"},
		"profile of a case": {func(t *testing.T, dir string) {
			edit(t, dir, func(c *schema.ConformanceReport) { c.Cases[index(*c, failedCase)].Profiles = nil })
		}, "its suite requires other cases"},
		"outcome": {func(t *testing.T, dir string) { reseal(t, dir, notApplicable) }, "and outcomes.jsonl makes it"},
		"page": {func(t *testing.T, dir string) {
			replace(t, dir, reports.HTMLFile, "the claim is reserved again", "the claim is fine")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			e.do(t, dir)
			if err := redigest(dir); err != nil {
				t.Fatal(err)
			}
			check(t, reasons(t, os.DirFS(dir), nextYear(t)), e.want)
		})
	}
}

// An older build can only name the newer build of a report.
func TestReportOfALaterVersionNamesIt(t *testing.T) {
	later := nextYear(t)
	for name, tc := range map[string]struct {
		version, build string
		want           string
	}{
		"next version":     {"v2", "v2.0.0", "profile cluster v2 is newer than v1, the newest that this dratest knows: verify it with dratest v2.0.0, which wrote it, or a newer one"},
		"between releases": {"v2-draft", "(devel)", "profile cluster v2-draft is a list of cases from between releases: verify it with dratest (devel), which wrote it"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t)
			edit(t, dir, func(c *schema.ConformanceReport) {
				c.Profile.Version, c.Suite.Version, c.Suite.RequiredCases = tc.version, tc.build, schema.RequiredDigest(later.Required)
			})
			_, _, err := verify.Directory(os.DirFS(dir), map[schema.Engine]verify.Rules{schema.EngineRun: known(t)})
			if !errors.Is(err, schema.ErrOtherVersion) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	dir := copied(t)
	replace(t, dir, reports.ConformanceFile, "apiVersion: ", "monitors: []\napiVersion: ")
	check(t, reasons(t, os.DirFS(dir), known(t)), "(dratest (devel) wrote it: verify it with that)")
}

// Reports without a profile also have versions.
func TestReportWithoutProfileOfAnEarlierVersion(t *testing.T) {
	dir, rules := copied(t), nextYear(t)
	edit(t, dir, func(c *schema.ConformanceReport) { c.Engine, c.Profile = schema.EngineSanity, nil })
	_, _, err := verify.Directory(os.DirFS(dir), map[schema.Engine]verify.Rules{schema.EngineSanity: rules})
	if err != nil {
		t.Error(err)
	}
	rules.Versions = nil
	_, _, err = verify.Directory(os.DirFS(dir), map[schema.Engine]verify.Rules{schema.EngineSanity: rules})
	if !errors.Is(err, schema.ErrOtherVersion) {
		t.Errorf("got %v, want %v", err, schema.ErrOtherVersion)
	}
}

// A case is not expected to fail by an entry that no run of that day takes.
func TestExpectationsAreThoseOfTheRun(t *testing.T) {
	for until, want := range map[string]string{"2026-11-21": "", "2026-11-20": "report.json: it expects case core/ended-pod to fail until 2026-11-20, which no run of that day takes"} {
		dir := copied(t)
		text := `"selection":{"expectations":[{"case":"core/ended-pod","reason":"r","issue":"i","until":"` + until + `"}],`
		replace(t, dir, reports.JournalFile, `"selection":{`, text)
		reseal(t, dir, func(r *schema.Report) {
			r.Selection.Expectations = []schema.Expectation{{Case: failedCase, Reason: "r", Issue: "i", Until: until}}
			for i := range r.Cases {
				if r.Cases[i].ID == failedCase {
					r.Cases[i].Expected = &r.Selection.Expectations[0]
				}
			}
			r.Summary.Failed, r.Summary.ExpectedFailures, r.Summary.Verdict = 0, 1, schema.Passed
		})
		check(t, reasons(t, os.DirFS(dir), known(t)), want)
		edit(t, dir, func(c *schema.ConformanceReport) { c.Run.Selection.Expectations[0].Reason = "another" })
		check(t, reasons(t, os.DirFS(dir), known(t)), "run.selection.expectations")
		edit(t, dir, func(c *schema.ConformanceReport) { c.Engine = schema.EngineSanity })
		_, why, err := verify.Directory(os.DirFS(dir), map[schema.Engine]verify.Rules{schema.EngineSanity: known(t)})
		if err != nil {
			t.Fatal(err)
		}
		check(t, strings.Join(why, "\n"), `"dratest sanity" expects none to`)
	}
}

// A resumed run has the cases and expectations of the earlier one.
func TestResumedRunKeepsItsSelection(t *testing.T) {
	for text, want := range map[string]string{
		`"selection":{`: "",
		`"selection":{"expectations":[{"case":"core/ended-pod","reason":"r","issue":"i","until":"2099-01-01"}],`: "outcomes.jsonl makes it missing",
	} {
		dir := copied(t)
		data, err := os.ReadFile(filepath.Join(dir, reports.JournalFile))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(data), "\n")
		replace(t, dir, reports.JournalFile, first, first+"\n"+strings.Replace(first, `"selection":{`, text, 1))
		reseal(t, dir, func(r *schema.Report) {
			if want == "" {
				return
			}
			r.Selection.Expectations = []schema.Expectation{{Case: failedCase, Reason: "r", Issue: "i", Until: "2099-01-01"}}
			for i := range r.Cases {
				if r.Cases[i].ID == failedCase {
					r.Cases[i].Expected = &r.Selection.Expectations[0]
				}
			}
			r.Summary.Failed, r.Summary.ExpectedFailures, r.Summary.Verdict = 0, 1, schema.Passed
		})
		check(t, reasons(t, os.DirFS(dir), known(t)), want)
	}
}

// A report cannot choose a weaker profile.
func TestProfileIsThatOfTheRun(t *testing.T) {
	for _, name := range []spec.ConformanceProfile{spec.ControlPlaneTarget, spec.DriverTarget, "cluster-core", "none"} {
		dir := copied(t)
		edit(t, dir, func(c *schema.ConformanceReport) { c.Profile.Name = name })
		if err := remake(dir); err != nil {
			t.Fatal(err)
		}
		check(t, reasons(t, os.DirFS(dir), known(t)), "profile.name is "+string(name)+", and the run was for profile cluster")
	}
	dir := copied(t)
	edit(t, dir, func(c *schema.ConformanceReport) { c.Profile = nil })
	check(t, reasons(t, os.DirFS(dir), known(t)), "conformance-report.yaml: profile")
	if err := remake(dir); err != nil {
		t.Fatal(err)
	}
	check(t, reasons(t, os.DirFS(dir), known(t)), "") // it is a selection
	reseal(t, dir, func(r *schema.Report) { r.Selection.Focus = nil })
	check(t, reasons(t, os.DirFS(dir), known(t)), "it has no profile")
}

// A failed case cannot be skipped because of needs it does not have or the cluster meets.
func TestReasonsForLeavingOut(t *testing.T) {
	left := func(code spec.SkipCode) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			reseal(t, dir, func(r *schema.Report) {
				notApplicable(r)
				for i := range r.Cases {
					if r.Cases[i].ID == failedCase {
						r.Cases[i].SkipCode = code
					}
				}
			})
		}
	}
	for code, want := range map[spec.SkipCode]string{
		spec.SkipFeature:       "is left out with FeatureNotServed, and needs no feature",
		spec.SkipAPI:           "is left out with APINotServed, and needs no other version of an API",
		spec.SkipVersion:       "is left out with VersionTooOld, and the cluster has v1.37.1",
		spec.SkipHook:          "is left out with HookMissing, and no driver of a vendor was tested",
		spec.SkipDriverFeature: "is left out with DriverFeatureMissing, and no driver of a vendor was tested",
		spec.SkipDriver:        "is left out with OtherDriverNeeded, and needs no driver of a vendor",
	} {
		dir := copied(t)
		left(code)(t, dir)
		check(t, reasons(t, os.DirFS(dir), known(t)), want)
	}
	dir := copied(t)
	with := known(t)
	for i := range with.Required {
		if with.Required[i].ID == failedCase {
			with.Required[i].Features = []spec.Feature{spec.DeviceTaints}
		}
	}
	left(spec.SkipFeature)(t, dir)
	edit(t, dir, func(c *schema.ConformanceReport) {
		c.Cases[index(*c, failedCase)].Features = []spec.Feature{spec.DeviceTaints}
	})
	if err := redigest(dir); err != nil {
		t.Fatal(err)
	}
	check(t, reasons(t, os.DirFS(dir), with), "is left out with FeatureNotServed, and the cluster has its features as it needs them")
}
