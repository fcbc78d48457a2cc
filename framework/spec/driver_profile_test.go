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

package spec

import "testing"

func TestProfilesOfCases(t *testing.T) {
	for id, tc := range map[string]struct {
		needs Needs
		want  DriverProfile
	}{
		"core/a":      {Needs{}, ProfileCore},
		"life/killed": {Needs{Disruption: true}, ProfileRecovery},
		"life/broken": {Needs{Disruption: true, Hooks: []HookName{HookMakeUnhealthy, HookHeal}}, ProfileRecovery},
		"life/new":    {Needs{Disruption: true, Hooks: []HookName{HookUpgrade}}, ProfileUpgrade},
		"life/rolled": {Needs{Disruption: true, DriverFeatures: []DriverFeature{DriverRollingUpdate}}, ProfileUpgrade},
		"life/found":  {Needs{Disruption: true, Hooks: []HookName{HookInventory}}, ProfilePredictability},
		"life/off":    {Needs{Disruption: true, Hooks: []HookName{HookReboot}}, ProfileRecovery},
		CaseOfCosts:   {Needs{Disruption: true}, ProfileBudget},
		CaseOfSlices:  {Needs{Disruption: true}, ProfilePredictability},
	} {
		tc.needs.Devices = 1
		if got := (Meta{ID: id, Needs: tc.needs}).DriverProfile(); got != tc.want {
			t.Errorf("%s is of %s, want %s", id, got, tc.want)
		}
	}
	if got := (Meta{ID: "sanity/a", Needs: Needs{Contract: true}}).DriverProfile(); got != ProfileContract {
		t.Errorf("a check of the plugin API is of %s", got)
	}
	if got := (Meta{ID: "core/b"}).DriverProfile(); got != "" {
		t.Errorf("a case for dratest's own driver is of %s", got)
	}
}
