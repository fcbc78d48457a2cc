package fabric

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case {
	return []harness.Case{
		BoundWhenAttached,
		ScheduledToLocal,
		FailureRetried,
		LastDeviceElsewhere,
		ControllerKilled,
		ManagerKilled,
		WrongToken,
		NoPermission,
		ClaimDeletedWhileAttaching,
		MorePodsThanDevices,
		TooLate,
		DeviceDied,
		EarlierAllocation,
		IdleWanted,
		LocalNodeFirst,
	}
}
