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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

var today = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func passed() facts {
	return facts{
		report: schema.Report{Ended: today, Summary: schema.Summary{Passed: 2}, Cases: []schema.Case{
			{ID: "core/a", Status: spec.Passed}, {ID: "core/shared", Status: spec.Passed},
		}},
		cases: []schema.RequiredCase{
			{ID: "core/a", DriverProfile: spec.ProfileCore},
			{ID: "core/shared", DriverProfile: spec.ProfileCore, DriverFeatures: []spec.DriverFeature{spec.DriverSharedClaim}},
		},
	}
}

func failed(f *facts) {
	f.report.Cases[0] = schema.Case{ID: "core/a", Status: spec.Failed, Failure: "it broke\nevent: Warning Failed: why\nlast seen: more"}
}

func except(until string) declarations.Exceptions {
	return declarations.Exceptions{{Case: "core/a", Reason: "soon", Issue: "x#1", Until: until}}
}

func TestJudge(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(*facts)
		verdict schema.DriverVerdict
		want    string
	}{
		{"all passed", func(*facts) {}, schema.DriverCertified, ""},
		{"declared and exercised", func(f *facts) { f.declaration.Features = declarations.Features{spec.DriverSharedClaim: true} }, schema.DriverCertified, ""},
		{"declared and not exercised", func(f *facts) { f.declaration.Features = declarations.Features{spec.DriverHealth: true} }, schema.DriverIncomplete, "health is declared"},
		{"declared as not there", func(f *facts) { f.declaration.Features = declarations.Features{spec.DriverHealth: false} }, schema.DriverCertified, ""},
		{"observed and declared false", func(f *facts) {
			f.declaration.Features = declarations.Features{spec.DriverTaints: false}
			f.seen.Features = []spec.DriverFeature{spec.DriverTaints}
		}, schema.DriverNotCertified, "taints is declared as false"},
		{"observed and not exercised", func(f *facts) { f.seen.Features = []spec.DriverFeature{spec.DriverTaints} }, schema.DriverIncomplete, "taints is not declared"},
		{"a case failed", failed, schema.DriverNotCertified, "core/a failed: it broke; last: event: Warning Failed: why"},
		{"excepted", func(f *facts) { failed(f); f.declaration.Excepted = except("2026-11-22") }, schema.DriverIncomplete, "excepted until 2026-11-22: soon (x#1)"},
		{"excepted until yesterday", func(f *facts) { failed(f); f.declaration.Excepted = except("2026-11-20") }, schema.DriverNotCertified, "ended on 2026-11-20"},
		{"exception that is not needed", func(f *facts) { f.declaration.Excepted = except("2027-01-01") }, schema.DriverCertified, "not needed"},
		{"a warning", func(f *facts) {
			failed(f)
			f.report.Cases[0].Requirements = []spec.Requirement{{Level: spec.Should}}
		}, schema.DriverCertified, "should not be"},
		{"blocked", func(f *facts) { f.report.Cases[0].Status = spec.Blocked }, schema.DriverIncomplete, "core/a has no verdict"},
		{"all blocked for the same reason", func(f *facts) {
			f.report.Cases[0].Status, f.report.Cases[1].Status = spec.Blocked, spec.Blocked
			f.report.Cases[0].Reason, f.report.Cases[1].Reason = "did not end", "did not end"
		}, schema.DriverIncomplete, "2 cases have no verdict: did not end (core/a, core/shared)"},
		{"too few devices", func(f *facts) {
			f.report.Cases[0] = schema.Case{ID: "core/a", Status: spec.NotApplicable, SkipCode: spec.SkipDevices, Reason: "needs 2"}
		}, schema.DriverIncomplete, "core/a did not run: needs 2"},
		{"restarts are not allowed", func(f *facts) {
			f.report.Cases[0] = schema.Case{ID: "core/a", Status: spec.NotApplicable, SkipCode: spec.SkipDisruption, Reason: "needs --disruptive"}
		}, schema.DriverIncomplete, "core/a did not run: needs --disruptive"},
		{"an older cluster", func(f *facts) {
			f.report.Cases[0] = schema.Case{ID: "core/a", Status: spec.NotApplicable, SkipCode: spec.SkipVersion, Reason: "needs 1.37"}
		}, schema.DriverCertified, "core/a did not run: needs 1.37"},
		{"a declared feature that the cluster does not serve", func(f *facts) {
			f.declaration.Features = declarations.Features{spec.DriverSharedClaim: true}
			f.report.Cases[1] = schema.Case{ID: "core/shared", Status: spec.NotApplicable, SkipCode: spec.SkipFeature, Reason: "needs a gate"}
		}, schema.DriverCertified, "the cluster does not serve what its cases need"},
		{"a declared feature of which the cases were left out", func(f *facts) {
			f.declaration.Features = declarations.Features{spec.DriverSharedClaim: true}
			f.report.Cases[1] = schema.Case{ID: "core/shared", Status: spec.NotApplicable, SkipCode: spec.SkipDriver, Reason: "no"}
		}, schema.DriverIncomplete, "sharedClaim is declared, and no case"},
		{"a feature that the driver lacks", func(f *facts) {
			f.report.Cases[0] = schema.Case{ID: "core/a", Status: spec.NotApplicable, SkipCode: spec.SkipDriverFeature, Reason: "no health"}
		}, schema.DriverCertified, "core/a did not run: no health"},
		{"a basic check of the plugin API did not run", func(f *facts) {
			f.report.Cases[0] = schema.Case{ID: "sanity/not-found", Status: spec.NotApplicable, Reason: "no devices"}
			f.cases[0] = schema.RequiredCase{ID: "sanity/not-found", DriverProfile: spec.ProfileContract}
		}, schema.DriverIncomplete, "sanity/not-found did not run: no devices"},
		{"another check of the plugin API did not run", func(f *facts) {
			f.report.Cases[0] = schema.Case{ID: "sanity/shares", Status: spec.NotApplicable, Reason: "no shares"}
			f.cases[0] = schema.RequiredCase{ID: "sanity/shares", DriverProfile: spec.ProfileContract}
		}, schema.DriverCertified, "sanity/shares did not run: no shares"},
		{"devices of the pod", func(f *facts) { f.declaration.Features = declarations.Features{spec.DriverPodDevices: true} }, schema.DriverCertified, "are not isolated"},
		{"claims for one container", func(f *facts) { f.declaration.Features = declarations.Features{spec.DriverOneContainer: true} }, schema.DriverIncomplete, "oneContainer is declared: Kubernetes allows"},
		{"no limits", func(f *facts) {
			f.declaration.Features = declarations.Features{spec.DriverOneContainer: false, spec.DriverPodDevices: false}
		}, schema.DriverCertified, ""},
		{"nothing passed", func(f *facts) { f.report.Summary.Passed = 0 }, schema.DriverIncomplete, "no case passed"},
		{"fewer devices than declared", func(f *facts) { f.seen.Failures = []string{"node a has 1"} }, schema.DriverNotCertified, "node a has 1"},
		{"driver restarted", func(f *facts) { f.seen.Failures = []string{"pod p was restarted"} }, schema.DriverNotCertified, "restarted"},
		{"left on a node", func(f *facts) { f.seen.Failures = []string{"left behind: on node a: CDI file x"} }, schema.DriverNotCertified, "left behind"},
		{"somebody else's pod", func(f *facts) { f.seen.Changes = []string{"Pod default/x is new"} }, schema.DriverCertified, "during the run: Pod"},
		{"only some cases", func(f *facts) { f.report.Selection.Focus = []string{"core/a"} }, schema.DriverIncomplete, "only cases that match --focus"},
		{"skipped cases", func(f *facts) { f.report.Selection.Skip, f.report.Cases = []string{"core/a"}, f.report.Cases[1:] }, schema.DriverIncomplete, "only cases that match --skip were to run"},
		{"cases with a label", func(f *facts) { f.report.Selection.Labels = "!Slow" }, schema.DriverIncomplete, "only cases that match --label-filter"},
		{"a retry", func(f *facts) { f.report.Cases[0].Attempts = 2 }, schema.DriverIncomplete, "core/a passed only at attempt 2"},
		{"a case is not in the report", func(f *facts) { f.report.Cases = f.report.Cases[1:] }, schema.DriverIncomplete, "left out: core/a"},
		{"ended early", func(f *facts) { f.report.Problems = []string{"interrupted"} }, schema.DriverIncomplete, "interrupted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := passed()
			tc.change(&f)
			j := judge(f)
			text := strings.Join(append(append(j.Failures, j.Missing...), j.Notes...), "\n")
			if j.Verdict != tc.verdict || !strings.Contains(text, tc.want) || tc.want == "" && text != "" {
				t.Errorf("%s: %s, want %s: %s", j.Verdict, text, tc.verdict, tc.want)
			}
		})
	}
}

// The certificate of a driver without hooks for upgrades is silent about them otherwise.
func TestUpgradesThatWereNotTestedAreNoted(t *testing.T) {
	const note = "no upgrade from another version was tested: hooks.upgrade is not declared"
	c := &running{declaration: declared()}
	if notes := c.facts(schema.Report{}, nil).seen.Notes; !slices.Contains(notes, note) {
		t.Errorf("notes: %v", notes)
	}
	c.declaration.Hooks.Upgrade.Command = []string{"helm"}
	if notes := c.facts(schema.Report{}, nil).seen.Notes; slices.Contains(notes, note) {
		t.Errorf("notes: %v", notes)
	}
}
