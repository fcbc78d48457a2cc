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

	"github.com/dra-conformance/dratest/framework/spec"
)

// Profile is a part of a certification.
type Profile string

// The profiles: what users get, what driver and users outlive, how the driver itself comes,
// is changed and goes, what those can rely on who add nodes, and what the driver costs.
// Features are told apart in Judgement.Exercised.
const (
	Core           Profile = "core"
	Recovery       Profile = "recovery"
	Upgrade        Profile = "upgrade"
	Predictability Profile = "predictability"
	Budget         Profile = "budget"
)

// Profiles are all of them, in order.
func Profiles() []Profile { return []Profile{Core, Recovery, Upgrade, Predictability, Budget} }

// predictable is a case of Predictability, costs that of Budget.
const (
	predictable = "life/published-again"
	costs       = "life/costs"
)

// profiles says to which part each case belongs.
func (c *running) profiles() map[string]Profile {
	all := map[string]Profile{}
	for _, m := range c.metas {
		all[m.ID] = profileOf(m)
	}
	return all
}

func profileOf(m spec.Meta) Profile {
	changes := []spec.HookName{spec.HookInstall, spec.HookUninstall, spec.HookUpgrade, spec.HookDowngrade}
	switch {
	case m.ID == predictable, slices.Contains(m.Needs.Hooks, spec.HookInventory):
		return Predictability
	case m.ID == costs:
		return Budget
	case slices.ContainsFunc(m.Needs.Hooks, func(h spec.HookName) bool { return slices.Contains(changes, h) }),
		slices.Contains(slices.Concat(m.Needs.DriverFeatures, m.Needs.NoDriverFeatures), spec.DriverRollingUpdate):
		return Upgrade
	case m.Needs.Disruption:
		return Recovery
	default:
		return Core
	}
}

// judgeProfiles comes to a verdict for each profile: negative if a case of it failed,
// incomplete if one that applies has no verdict, or none passed. One that the driver has
// nothing for has no verdict.
func (f facts) judgeProfiles() map[Profile]Verdict {
	verdicts := map[Profile]Verdict{}
	passed, applies := map[Profile]bool{}, map[Profile]bool{Core: true, Recovery: true}
	worse := func(p Profile, v Verdict) {
		if verdicts[p] != NotCertified {
			verdicts[p] = v
		}
	}
	for _, c := range f.report.Cases {
		p := f.profiles[c.ID]
		if c.Status != spec.NotApplicable || incomplete(c.SkipCode) {
			applies[p] = true
		}
		switch {
		case c.Status == spec.Passed, c.Status == spec.Known, c.Warning():
			passed[p] = true
		case c.Status == spec.Failed:
			worse(p, NotCertified)
		case c.Status == spec.Blocked, incomplete(c.SkipCode):
			worse(p, Incomplete)
		}
	}
	if len(over(f.declaration.Budget, f.measured())) > 0 {
		worse(Budget, NotCertified)
	}
	if f.declaration.Budget.IsZero() {
		applies[Budget] = false // what is measured is held against nothing
		delete(verdicts, Budget)
	}
	for _, p := range Profiles() {
		switch {
		case verdicts[p] != "", !applies[p]:
		case passed[p]:
			verdicts[p] = Certified
		default:
			verdicts[p] = Incomplete
		}
	}
	return verdicts
}
