package claims

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case {
	return []harness.Case{
		AllClaimsThere,
		ConcurrentWriters,
		DeletedIdle,
		DeletedInUse,
		DeletedUnused,
		DeviceStatusFreed,
		EndedPods,
		ForeignClaim,
		FoundAgain,
		LastReservation,
		LeftHalfway,
		LongNames,
		NoCapacityTwice,
		NoCounterTwice,
		NoClaimNeeded,
		NoDeviceTwice,
		OneAllocation,
		OrderOfWrites,
		OwnNamespace,
		OutOfService,
		Owner,
		PodBeingDeleted,
		PodsOnly,
		ReservationGivenUp,
		Reservations,
		SameNameAgain,
		TemplateCopied,
		TwoTemplates,
		Unaffected,
		Workload,
		WriteRefused,
	}
}
