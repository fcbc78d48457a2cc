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

package allocation

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/harness"
)

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case { return slices.Concat(firstHalf(), secondHalf()) }

func firstHalf() []harness.Case {
	return []harness.Case{
		AdminAccess,
		AdminAccessCounters,
		AdminAccessFirst,
		AllConstrained,
		AllElsewhere,
		AllInAlternatives,
		AllInUse,
		AllNeedsOne,
		AllOfPoolOnNodes,
		AllRequests,
		AllWithCounters,
		AlternativeClassMissing,
		AlternativeReference,
		Alternatives,
		AlternativesBesideAllocated,
		AlternativeNamed,
		BetterAlternative,
		CapacityBeyondPolicy,
		CapacityDomain,
		CapacityFractions,
		CapacityOfEach,
		CapacityRounding,
		CapacityUsedUp,
		CELExpressions,
		ClaimsTogether,
		ClassChanges,
		Configuration,
		ConfigurationIgnored,
		CompatibilityGroups,
		ConstraintRequests,
		ConstraintsTogether,
		Counters,
		CountersAfterRefusal,
		CountsBeyondLimit,
	}
}

func secondHalf() []harness.Case {
	return []harness.Case{
		DeallocatedIfStuck,
		DerivedAttributes,
		DerivedErrors,
		DerivedLists,
		DerivedPerRequest,
		DeviceIdentity,
		DeviceNames,
		DeviceNodes,
		DeviceNodeSelectors,
		DeviceOverhead,
		DevicesWithdrawn,
		DistinctAttribute,
		EmptyClaim,
		EmptyClass,
		FilterTimeout,
		FilterTimeoutElsewhere,
		FilterTimeoutOff,
		LargeCapacities,
		LargeCounters,
		LimitOfDevices,
		ListAttributes,
		MappedResources,
		MatchAttribute,
		NetworkDevices,
		NodeAllocatableStatus,
		NotShared,
		OptionalOperations,
		OptionalOperationsUndeclared,
		PodLevelResources,
		PoolGenerations,
		PoolMoves,
		PoolOrder,
		Preempted,
		ReadyAtOnce,
		WhenAllocated,
		OthersClaims,
		PartitionWithdrawn,
		RuleBeforeSlice,
		RuleTaint,
		RuleWithoutSelector,
		RulesTogether,
		SelectorError,
		SelectorOfTwoTerms,
		ShareWithdrawn,
		SharedPartition,
		SliceOrder,
		Tolerations,
		VersionBuilds,
	}
}
