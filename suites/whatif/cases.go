package whatif

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case {
	return []harness.Case{
		Templates,
		AllDevices,
		Shared,
		Alternatives,
		Partitions,
		Capacity,
		Constraints,
		AdminAccess,
		Taints,
		ExtendedExplicit,
		ExtendedImplicit,
		WaitsInPreBind,
		DaemonSets,
		LateSlices,
		Learned,
		Shrink,
		RealNodes,
	}
}
