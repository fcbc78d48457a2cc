package life

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in the order in which they are listed and planned.
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
