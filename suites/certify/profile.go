package certify

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// Profile is a part of a certification.
type Profile string

// The profiles: what users get, and what driver and users outlive. Features are told apart
// in Judgement.Exercised.
const (
	Core     Profile = "core"
	Recovery Profile = "recovery"
)

// Profiles are all of them, in order.
func Profiles() []Profile { return []Profile{Core, Recovery} }

// profiles says to which part each case belongs.
func (c *running) profiles() map[string]Profile {
	all := map[string]Profile{}
	for _, m := range c.metas {
		all[m.ID] = Core
		if m.Needs.Disruption {
			all[m.ID] = Recovery
		}
	}
	return all
}

// judgeProfiles comes to a verdict for each profile: negative if a case of it failed,
// incomplete if one that applies has no verdict, or none passed.
func (f facts) judgeProfiles() map[Profile]Verdict {
	verdicts := map[Profile]Verdict{}
	passed := map[Profile]bool{}
	worse := func(p Profile, v Verdict) {
		if verdicts[p] != NotCertified {
			verdicts[p] = v
		}
	}
	for _, c := range f.report.Cases {
		p := f.profiles[c.ID]
		switch {
		case c.Status == spec.Passed, c.Status == spec.Known, c.Warning():
			passed[p] = true
		case c.Status == spec.Failed:
			worse(p, NotCertified)
		case c.Status == spec.Blocked, incomplete(c.SkipCode):
			worse(p, Incomplete)
		}
	}
	for _, p := range Profiles() {
		switch {
		case verdicts[p] != "":
		case passed[p]:
			verdicts[p] = Certified
		default:
			verdicts[p] = Incomplete
		}
	}
	return verdicts
}
