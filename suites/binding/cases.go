package binding

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns this area's cases in listing and planning order.
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
