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
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/reports/schema"
)

// judgeProfiles returns a verdict for each profile: negative if a case failed, incomplete if an applicable one has no
// verdict, or none passed. A profile without applicable cases has no verdict.
func (f facts) judgeProfiles() map[spec.DriverProfile]schema.DriverVerdict {
	verdicts := map[spec.DriverProfile]schema.DriverVerdict{}
	passed, applies := map[spec.DriverProfile]bool{}, map[spec.DriverProfile]bool{spec.ProfileCore: true, spec.ProfileRecovery: true}
	worse := func(p spec.DriverProfile, v schema.DriverVerdict) {
		if verdicts[p] != schema.DriverNotCertified {
			verdicts[p] = v
		}
	}
	for _, c := range f.report.Cases {
		p := f.required(c.ID).DriverProfile
		if c.Status != spec.NotApplicable || incomplete(c.SkipCode) || basic(c) {
			applies[p] = true
		}
		switch {
		case c.Status == spec.Passed, c.Status == spec.Known, c.Warning():
			passed[p] = true
		case c.Status == spec.Failed:
			worse(p, schema.DriverNotCertified)
		case c.Status == spec.Blocked, c.Status == spec.Unreviewed, incomplete(c.SkipCode), basic(c):
			worse(p, schema.DriverIncomplete)
		}
	}
	if len(over(f.declaration.Budget, f.measured())) > 0 {
		worse(spec.ProfileBudget, schema.DriverNotCertified)
	}
	if f.declaration.Budget.IsZero() {
		applies[spec.ProfileBudget] = false // measurements without limits
		delete(verdicts, spec.ProfileBudget)
	}
	for _, p := range spec.DriverProfiles() {
		switch {
		case verdicts[p] != "", !applies[p]:
		case passed[p]:
			verdicts[p] = schema.DriverCertified
		default:
			verdicts[p] = schema.DriverIncomplete
		}
	}
	return verdicts
}
