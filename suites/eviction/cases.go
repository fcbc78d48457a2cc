package eviction

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in the order in which they are listed and planned.
func Cases() []harness.Case {
	return []harness.Case{
		SliceTaint,
		AnyEffect,
		TaintRule,
		ExtendedResourceBySlice,
		ExtendedResourceByRule,
		MildEffects,
		RuleSelectors,
		RuleForAll,
		Seconds,
		ClaimFreed,
		ToldOnce,
		RuleCounts,
		PoolSliceBySlice,
		TaintedClaimWaits,
		GivenUp,
		RuleGivenUp,
		SeveralTolerations,
		AllPods,
		NotConcerned,
		DisruptionTarget,
		Retried,
		RuleInProgress,
	}
}
