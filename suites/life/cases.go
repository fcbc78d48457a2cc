package life

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns this area's cases in listing and planning order.
func Cases() []harness.Case {
	return []harness.Case{
		DriverReplaced,
		DriverKilled,
		KilledWhilePreparing,
		PodEndsWithoutDriver,
		ClaimDeletedWithoutDriver,
		Rebooted,
		NodeRebooted,
		AnswerLost,
		CallsTwice,
		CallCut,
		PublishedAgain,
		Inventory,
		Costs,
		RollingUpdated,
		UpdateUndone,
		UpdatedInTurn,
		Upgraded,
		Downgraded,
		DeviceUnhealthy,
		DeviceTainted,
		Uninstalled,
	}
}
