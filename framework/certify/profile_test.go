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
		want   schema.DriverVerdict
	}{
		{"passed", schema.Case{Status: spec.Passed}, schema.DriverCertified},
		{"failed", schema.Case{Status: spec.Failed}, schema.DriverNotCertified},
		{"blocked", schema.Case{Status: spec.Blocked}, schema.DriverIncomplete},
		{"not allowed", schema.Case{Status: spec.NotApplicable, SkipCode: spec.SkipDisruption}, schema.DriverIncomplete},
		{"none applies", schema.Case{Status: spec.NotApplicable, SkipCode: spec.SkipDriver}, schema.DriverIncomplete},
	} {
		f := passed()
		tc.second.ID = "life/x"
		f.report.Cases = append(f.report.Cases[:1:1], tc.second)
		f.cases = append(f.cases[:1:1], schema.RequiredCase{ID: "life/x", DriverProfile: spec.ProfileRecovery})
		if d := cmp.Diff(map[spec.DriverProfile]schema.DriverVerdict{spec.ProfileCore: schema.DriverCertified, spec.ProfileRecovery: tc.want}, judge(f).Profiles); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// A driver restarted by cases has not restarted on its own.
func TestRestartsByCases(t *testing.T) {
	for status, want := range map[spec.Status]int{spec.Passed: 0, spec.Failed: 0, spec.NotApplicable: 1, spec.Blocked: 1} {
		c := running{metas: []spec.Meta{{ID: "life/x", Needs: spec.Needs{DriverPods: true}}}, restarts: []string{"pod p was restarted"}}
		f := c.facts(schema.Report{Cases: []schema.Case{{ID: "life/x", Status: status}}}, nil)
		if len(f.seen.Failures) != want {
			t.Errorf("%s: failures are %v", status, f.seen.Failures)
		}
	}
}

// TestProfileWithoutVerdict: a driver without declared hooks has nothing to upgrade.
func TestProfileWithoutVerdict(t *testing.T) {
	for code, want := range map[spec.SkipCode]schema.DriverVerdict{spec.SkipHook: "", spec.SkipDisruption: schema.DriverIncomplete} {
		f := passed()
		f.cases = append(f.cases, schema.RequiredCase{ID: "life/upgraded", DriverProfile: spec.ProfileUpgrade})
		f.report.Cases = append(f.report.Cases, schema.Case{ID: "life/upgraded", Status: spec.NotApplicable, SkipCode: code})
		if got := judge(f).Profiles[spec.ProfileUpgrade]; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestDevicesOfOthers: the owner of missing devices is reported, without effect on certifications elsewhere.
func TestDevicesOfOthers(t *testing.T) {
	const held = "device a/device-0 of node a is held by claim team/job"
	for code, want := range map[spec.SkipCode]bool{spec.SkipDevices: true, spec.SkipHook: false} {
		c := running{observation: observation{inClass: inClass{held: []string{held}}}}
		f := c.facts(schema.Report{Cases: []schema.Case{{ID: "core/a", Status: spec.NotApplicable, SkipCode: code}}}, nil)
		if got := slices.Contains(f.seen.Missing, held+": wait until it is free, or certify where nobody uses the driver"); got != want {
			t.Errorf("%s: missing are %v", code, f.seen.Missing)
		}
	}
}
