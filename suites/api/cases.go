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

package api

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/harness"
)

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case { return slices.Concat(claimCases(), sliceCases()) }

// claimCases are about claims, classes, templates, pods and access to them.
func claimCases() []harness.Case {
	return []harness.Case{
		ClaimSpecImmutable,
		ClaimStatus,
		ClaimRequests,
		ClaimSelectors,
		ClaimConstraints,
		ClaimAlternatives,
		ClassRules,
		TemplateRules,
		TemplateClaims,
		TemplateFeatures,
		PodClaims,
		ClaimStatusRules,
		ResultFeatures,
		ClaimStatusMetadata,
		DeletedClaim,
		DeviceStatus,
		DeviceStatusShares,
		DeviceStatusOwners,
		DeviceStatusFreed,
		AdminAccess,
		AdminAccessKept,
		Kinds,
		Verbs,
		VerbsOfRules,
		DriverNameWarning,
		RequiredFields,
		Versions,
		ServedByDefault,
		Defaults,
		TolerationDefaults,
		ListsAtomic,
		ParametersOrder,
		StatusAuthorization,
		StatusAuthorizationDrivers,
		StatusAuthorizationVerbs,
		StatusAuthorizationNodes,
		DeallocationAuthorized,
		NodeCredentials,
		NodeClaimsByStatus,
		NodeSpecialClaims,
		NodeSlices,
		NodePodStatus,
		MirrorPodClaims,
		SlicesByPolicy,
		ClaimsByPolicy,
		ClassResourceName,
		ClassByAdministrator,
		ExtendedMapping,
		PodClaimStatusesKept,
		QuotaByName,
		Generation,
		Tolerations,
		TolerationWithoutKey,
		TolerationLimit,
		TolerationEffects,
		ConstraintKinds,
		TaintsOff,
		CapacityOff,
		BindingConditionsOff,
		NameSlashes,
		QuotaByClass,
		RequestLimit,
	}
}

// sliceCases are about ResourceSlices and DeviceTaintRules.
func sliceCases() []harness.Case {
	return []harness.Case{
		SlicePoolSelector,
		SlicePoolSelectorVersions,
		SliceRules,
		SliceImmutable,
		SliceSelectors,
		SliceSelectorsVersions,
		SliceFull,
		SliceFullFeatures,
		DeviceAttributes,
		DeviceNodes,
		Counters,
		CapacityPolicies,
		StepOfNothing,
		RangeNumbers,
		VersionNumbers,
		PolicyWithoutSharing,
		BindingConditions,
		ListAttributes,
		DerivedAttributes,
		OptionalOperations,
		NodeAllocatable,
		CompatibilityGroups,
		PartitionTypes,
		PartitionTypesConsistent,
		PoolRequests,
		PoolRequestAttribute,
		PodGroupClaims,
		Taints,
		TaintRules,
		RuleStatus,
		RuleVersions,
		DeviceSelectorTerms,
	}
}
