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
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

func TestProfiles(t *testing.T) {
	for _, tc := range []struct {
		name   string
		second schema.Case
		want   Verdict
	}{
		{"passed", schema.Case{Status: spec.Passed}, Certified},
		{"failed", schema.Case{Status: spec.Failed}, NotCertified},
		{"blocked", schema.Case{Status: spec.Blocked}, Incomplete},
		{"not allowed", schema.Case{Status: spec.NotApplicable, SkipCode: spec.SkipDisruption}, Incomplete},
		{"none applies", schema.Case{Status: spec.NotApplicable, SkipCode: spec.SkipDriver}, Incomplete},
	} {
		f := passed()
		tc.second.ID = "life/x"
		f.report.Cases = append(f.report.Cases[:1:1], tc.second)
		c := running{metas: []spec.Meta{{ID: "core/a"}, {ID: "life/x", Needs: spec.Needs{Disruption: true}}}}
		f.profiles = c.profiles()
		if d := cmp.Diff(map[Profile]Verdict{Core: Certified, Recovery: tc.want}, judge(f).Profiles); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// A driver that cases have ended themselves has not been restarted of its own accord.
func TestRestartsByCases(t *testing.T) {
	for status, want := range map[spec.Status]int{spec.Passed: 0, spec.Failed: 0, spec.NotApplicable: 1, spec.Blocked: 1} {
		c := running{metas: []spec.Meta{{ID: "life/x", Needs: spec.Needs{Installed: true}}}, restarts: []string{"pod p was restarted"}}
		f := c.facts(schema.Report{Cases: []schema.Case{{ID: "life/x", Status: status}}}, nil, today)
		if len(f.failures) != want {
			t.Errorf("%s: failures are %v", status, f.failures)
		}
	}
}

func TestProfilesOfCases(t *testing.T) {
	for id, tc := range map[string]struct {
		needs spec.Needs
		want  Profile
	}{
		"core/a":      {spec.Needs{}, Core},
		"life/killed": {spec.Needs{Disruption: true}, Recovery},
		"life/broken": {spec.Needs{Disruption: true, Hooks: []spec.HookName{spec.HookMakeUnhealthy, spec.HookHeal}}, Recovery},
		"life/new":    {spec.Needs{Disruption: true, Hooks: []spec.HookName{spec.HookUpgrade}}, Upgrade},
		"life/rolled": {spec.Needs{Disruption: true, DriverFeatures: []spec.DriverFeature{spec.DriverRollingUpdate}}, Upgrade},
		"life/found":  {spec.Needs{Disruption: true, Hooks: []spec.HookName{spec.HookInventory}}, Predictability},
		"life/off":    {spec.Needs{Disruption: true, Hooks: []spec.HookName{spec.HookReboot}}, Recovery},
		costs:         {spec.Needs{Disruption: true}, Budget},
		predictable:   {spec.Needs{Disruption: true}, Predictability},
	} {
		if got := profileOf(spec.Meta{ID: id, Needs: tc.needs}); got != tc.want {
			t.Errorf("%s is of %s, want %s", id, got, tc.want)
		}
	}
}

// TestProfileWithoutVerdict: a driver that declares no hooks has nothing to upgrade.
func TestProfileWithoutVerdict(t *testing.T) {
	for code, want := range map[spec.SkipCode]Verdict{spec.SkipHook: "", spec.SkipDisruption: Incomplete} {
		f := passed()
		f.profiles = map[string]Profile{"life/upgraded": Upgrade}
		f.report.Cases = append(f.report.Cases, schema.Case{ID: "life/upgraded", Status: spec.NotApplicable, SkipCode: code})
		if got := judge(f).Profiles[Upgrade]; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestDevicesOfOthers: whose devices are missing is said, and keeps nobody's driver from
// being certified elsewhere.
func TestDevicesOfOthers(t *testing.T) {
	const held = "device a/device-0 of node a is held by claim team/job"
	for code, want := range map[spec.SkipCode]bool{spec.SkipDevices: true, spec.SkipHook: false} {
		c := running{sight: sight{inClass: inClass{held: []string{held}}}}
		f := c.facts(schema.Report{Cases: []schema.Case{{ID: "core/a", Status: spec.NotApplicable, SkipCode: code}}}, nil, today)
		if got := slices.Contains(f.missing, held+": wait until it is free, or certify where nobody uses the driver"); got != want {
			t.Errorf("%s: missing are %v", code, f.missing)
		}
	}
}
