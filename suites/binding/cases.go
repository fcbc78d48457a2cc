package binding

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in the order in which they are listed and planned.
func Cases() []harness.Case {
	return []harness.Case{
		BoundWhenReady,
		FailurePlacesElsewhere,
		FailureTaint,
		TimeoutPlacesElsewhere,
		ExpiredAllocation,
		DefaultTimeout,
		BindsToNode,
		FailedDeviceFree,
		SeveralDevices,
		OneOfTwoFails,
		OthersGoOn,
		NodeSelectorFirst,
	}
}
