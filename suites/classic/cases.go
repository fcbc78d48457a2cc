package classic

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case {
	return []harness.Case{
		Delayed,
		Immediate,
		UnsuitableNodes,
		SuitableNodes,
		SuitableNodesChanged,
		NodesFull,
		OneUser,
		TwoUsers,
		AnyUsers,
		LimitKept,
		Quota,
		OtherScheduler,
		Template,
		TwoDrivers,
		WithStructured,
		ParametersMissing,
		ParametersOfAnyKind,
		ParametersChanged,
		ParametersInline,
		NodePart,
		Optional,
		ClassMissing,
		AllocateFails,
		DeletedClaim,
		AllocationCleared,
		Reallocated,
		Stuck,
		DriverKilled,
		DriverRemoved,
		SchedulerKilled,
		DeletedPod,
		LeftOver,
		Network,
		Foretold,
		Bypassed,
		ClassSelector,
	}
}
