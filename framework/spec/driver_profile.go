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

import "slices"

// DriverProfile is a part of the driver profile with a verdict of its own.
type DriverProfile string

// The parts: the plugin API, features for users, resilience of driver and users, updates and removal of the driver, requirements of
// node autoscalers, and the driver's cost.
const (
	ProfileContract       DriverProfile = "contract"
	ProfileCore           DriverProfile = "core"
	ProfileRecovery       DriverProfile = "recovery"
	ProfileUpgrade        DriverProfile = "upgrade"
	ProfilePredictability DriverProfile = "predictability"
	ProfileBudget         DriverProfile = "budget"
	// ProfileLoad is optional, and has no cases.
	ProfileLoad DriverProfile = "load"
)

// DriverProfiles are all of them, in order.
func DriverProfiles() []DriverProfile {
	return []DriverProfile{ProfileContract, ProfileCore, ProfileRecovery, ProfileUpgrade, ProfilePredictability, ProfileBudget, ProfileLoad}
}

// CaseOfSlices belongs to ProfilePredictability, CaseOfCosts to ProfileBudget.
const (
	CaseOfSlices = "life/published-again"
	CaseOfCosts  = "life/costs"
)

// BasicContract are the checks of ProfileContract for each driver. Without a verdict on them, the contract is not tested.
func BasicContract() []string {
	return []string{
		"sanity/devices-published", "sanity/prepare-repeated", "sanity/unprepare-repeated", "sanity/unprepare-undoes", "sanity/unprepare-unknown",
		"sanity/unprepare-deleted-claim", "sanity/claim-not-there", "sanity/not-found",
	}
}

// DriverProfile is a case's part; empty for cases never run with an installed driver.
func (m Meta) DriverProfile() DriverProfile {
	changes := []HookName{HookInstall, HookUninstall, HookUpgrade, HookDowngrade}
	switch {
	case m.Needs.Contract:
		return ProfileContract
	case m.Needs.Devices == 0:
		return ""
	case m.ID == CaseOfSlices, slices.Contains(m.Needs.Hooks, HookInventory):
		return ProfilePredictability
	case m.ID == CaseOfCosts:
		return ProfileBudget
	case slices.ContainsFunc(m.Needs.Hooks, func(h HookName) bool { return slices.Contains(changes, h) }),
		slices.Contains(slices.Concat(m.Needs.DriverFeatures, m.Needs.NoDriverFeatures), DriverRollingUpdate):
		return ProfileUpgrade
	case m.Needs.Disruption:
		return ProfileRecovery
	default:
		return ProfileCore
	}
}
