package extended

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns this area's cases in listing and planning order.
func Cases() []harness.Case {
	return []harness.Case{
		ExplicitName,
		ImplicitName,
		OwnDevices,
		InitContainerReuse,
		SpecialClaim,
		ClaimGoneWhenDone,
		WaitsForDevice,
		BesideClaims,
		NodesOfBothKinds,
		NodeMovesToDRA,
		CapacityLeftOut,
		NewestClass,
		NameMoves,
		DevicePluginDecides,
		TooMany,
		WriteRefused,
		MappingByStatus,
		LeftOverClaim,
		CleanupRepeated,
		StatusCleared,
		QuotaOfBothKinds,
		PluginAndDRA,
		PluginBesideDRA,
		SidecarApart,
		NoneAsked,
		BothNames,
		EndedPods,
		QuotaOfSidecar,
	}
}
