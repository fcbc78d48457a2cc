package eviction

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns this area's cases in listing and planning order.
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
