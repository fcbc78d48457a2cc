package certify

import (
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
