package suites

import (
	"slices"

	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
	"github.com/dra-conformance/dratest/suites/allocation"
	"github.com/dra-conformance/dratest/suites/binding"
	"github.com/dra-conformance/dratest/suites/claims"
	"github.com/dra-conformance/dratest/suites/classic"
	"github.com/dra-conformance/dratest/suites/core"
	"github.com/dra-conformance/dratest/suites/eviction"
	"github.com/dra-conformance/dratest/suites/extended"
	"github.com/dra-conformance/dratest/suites/fabric"
	"github.com/dra-conformance/dratest/suites/groups"
	"github.com/dra-conformance/dratest/suites/life"
	"github.com/dra-conformance/dratest/suites/metrics"
	"github.com/dra-conformance/dratest/suites/node"
	"github.com/dra-conformance/dratest/suites/pools"
	"github.com/dra-conformance/dratest/suites/security"
	"github.com/dra-conformance/dratest/suites/whatif"
)

// All returns all cases in the order in which they are listed and planned.
func All() []harness.Case {
	return slices.Concat(
		apiCases(),
		sliceCases(),
		claimsCases(),
		allocationCases(),
		perGRPC(core.OneDevice),
		cases(bothGRPC(core.OneDevice)),
		cases(
			core.Parameters,
			core.TemplateClaim,
			core.SharedByContainers,
			core.SharedByPods,
			core.UsedInTurn,
			core.InitContainer,
			core.ContainerRestarted,
			core.NoClaimNoDevice,
			core.OneRequestOneDevice,
			core.Count,
			core.FirstAvailable,
			core.AllDevices,
			core.Selectors,
			core.DeviceAppears,
			core.ClassAppears,
			core.BypassScheduler,
			core.Metadata,
			core.MetadataOfTemplate,
			core.AdminAccess,
			core.SharedCapacity,
			core.Partition,
			core.DeviceStatus,
			core.BindingConditions,
		),
		perGRPC(core.PrepareRetried),
		perGRPC(core.UnprepareRetried),
		perGRPC(core.ForceDeleted),
		cases(
			core.DriverComesLater,
			core.SlicesFollowDriver,
			core.EndedPod,
		),
		extendedCases(),
		bindingCases(),
		fabricCases(),
		whatIfCases(),
		classicCases(),
		evictionCases(),
		nodeCases(),
		cases(
			security.AdminAccess,
			security.TemplateUser,
			security.ControllerUser,
			security.DriverRole,
		),
		lifeCases(),
		cases(
			metrics.Claims,
			metrics.Creations,
			metrics.Unschedulable,
			metrics.AdminAccess,
			metrics.BindingConditions,
		),
		cases(
			groups.ClaimShared,
			groups.Evicted,
			groups.Template,
			groups.NotTheGroups,
			groups.PodsRun,
		),
		cases(
			pools.Counts,
			pools.Which,
			pools.Incomplete,
			pools.PartitionSummary,
			pools.ShareableSummary,
		),
	)
}

// bindingCases are those of devices that are not ready when they are allocated.
func bindingCases() []harness.Case {
	return cases(
		binding.BoundWhenReady,
		binding.FailurePlacesElsewhere,
		binding.FailureTaint,
		binding.TimeoutPlacesElsewhere,
		binding.ExpiredAllocation,
		binding.DefaultTimeout,
		binding.BindsToNode,
		binding.FailedDeviceFree,
		binding.SeveralDevices,
		binding.OneOfTwoFails,
		binding.OthersGoOn,
		binding.NodeSelectorFirst,
	)
}

// evictionCases are those of devices with taints.
func evictionCases() []harness.Case {
	return cases(
		eviction.SliceTaint,
		eviction.AnyEffect,
		eviction.TaintRule,
		eviction.ExtendedResourceBySlice,
		eviction.ExtendedResourceByRule,
		eviction.MildEffects,
		eviction.RuleSelectors,
		eviction.RuleForAll,
		eviction.Seconds,
		eviction.ClaimFreed,
		eviction.ToldOnce,
		eviction.RuleCounts,
		eviction.PoolSliceBySlice,
		eviction.TaintedClaimWaits,
		eviction.GivenUp,
		eviction.RuleGivenUp,
		eviction.SeveralTolerations,
		eviction.AllPods,
		eviction.NotConcerned,
		eviction.DisruptionTarget,
		eviction.Retried,
		eviction.RuleInProgress,
	)
}

// fabricCases are those of devices that a controller attaches to nodes.
func fabricCases() []harness.Case {
	return cases(
		fabric.BoundWhenAttached,
		fabric.ScheduledToLocal,
		fabric.FailureRetried,
		fabric.LastDeviceElsewhere,
		fabric.ControllerKilled,
		fabric.ManagerKilled,
		fabric.WrongToken,
		fabric.NoPermission,
		fabric.ClaimDeletedWhileAttaching,
		fabric.MorePodsThanDevices,
		fabric.TooLate,
		fabric.DeviceDied,
		fabric.EarlierAllocation,
		fabric.IdleWanted,
		fabric.LocalNodeFirst,
	)
}

// classicCases are those of drivers that allocate claims themselves.
func classicCases() []harness.Case {
	return cases(
		classic.Delayed,
		classic.Immediate,
		classic.UnsuitableNodes,
		classic.SuitableNodes,
		classic.SuitableNodesChanged,
		classic.NodesFull,
		classic.OneUser,
		classic.TwoUsers,
		classic.AnyUsers,
		classic.LimitKept,
		classic.Quota,
		classic.OtherScheduler,
		classic.Template,
		classic.TwoDrivers,
		classic.WithStructured,
		classic.ParametersMissing,
		classic.ParametersOfAnyKind,
		classic.ParametersChanged,
		classic.ParametersInline,
		classic.NodePart,
		classic.Optional,
		classic.ClassMissing,
		classic.AllocateFails,
		classic.DeletedClaim,
		classic.AllocationCleared,
		classic.Reallocated,
		classic.Stuck,
		classic.DriverKilled,
		classic.DriverRemoved,
		classic.SchedulerKilled,
		classic.DeletedPod,
		classic.LeftOver,
		classic.Network,
		classic.Foretold,
		classic.Bypassed,
		classic.ClassSelector,
	)
}

// whatIfCases are those of what dra-whatif foretells.
func whatIfCases() []harness.Case {
	return cases(
		whatif.Templates,
		whatif.AllDevices,
		whatif.Shared,
		whatif.Alternatives,
		whatif.Partitions,
		whatif.Capacity,
		whatif.Constraints,
		whatif.AdminAccess,
		whatif.Taints,
		whatif.ExtendedExplicit,
		whatif.ExtendedImplicit,
		whatif.WaitsInPreBind,
		whatif.DaemonSets,
		whatif.LateSlices,
		whatif.Learned,
		whatif.Shrink,
		whatif.RealNodes,
	)
}

// extendedCases are those of extended resources that classes serve.
func extendedCases() []harness.Case {
	return cases(
		extended.ExplicitName,
		extended.ImplicitName,
		extended.OwnDevices,
		extended.InitContainerReuse,
		extended.SpecialClaim,
		extended.ClaimGoneWhenDone,
		extended.WaitsForDevice,
		extended.BesideClaims,
		extended.NodesOfBothKinds,
		extended.NodeMovesToDRA,
		extended.CapacityLeftOut,
		extended.NewestClass,
		extended.NameMoves,
		extended.DevicePluginDecides,
		extended.TooMany,
		extended.WriteRefused,
		extended.MappingByStatus,
		extended.LeftOverClaim,
		extended.CleanupRepeated,
		extended.StatusCleared,
		extended.QuotaOfBothKinds,
		extended.PluginAndDRA,
		extended.PluginBesideDRA,
		extended.SidecarApart,
		extended.NoneAsked,
		extended.BothNames,
		extended.EndedPods,
		extended.QuotaOfSidecar,
	)
}

// nodeCases are those of what kubelets do.
func nodeCases() []harness.Case {
	return cases(
		node.InUseAfterRestart,
		node.RestartedMeanwhile,
		node.DriverAfterKubelet,
		node.PodResources,
		node.LostCDIFiles,
		node.TerminatingWithoutDriver,
		node.TwoDrivers,
		node.BatchOfClaims,
		node.DevicesOnce,
		node.DevicesOnceAfterRestart,
		node.ClaimOfNoContainer,
		node.PrepareBeforeSandbox,
		node.TwoOfThreeRequests,
		node.PreparedAndNew,
		node.NoAnswer,
		node.WrongAnswers,
		node.WrongUnprepareAnswers,
		node.RefusedPodDeleted,
		node.JoinedWhileUnprepared,
		node.SameNameStillPrepared,
		node.StatusWithoutClaims,
		node.DriverAway,
		node.CDIDevices,
		node.AnsweredDevices,
		node.Registration,
		node.RegistrationFailed,
		node.RegistrationNotHeard,
		node.ServiceAway,
		node.CSIOfSameName,
		node.CallMetrics,
		node.OperationMetrics,
		node.BesideOthers,
		node.SlicesOfNode,
		node.SlicesCleared,
		node.KubeletDown,
		node.Health,
		node.HealthStates,
		node.HealthTimeout,
		node.HealthDriverGone,
		node.HealthOlderAPI,
		node.HealthMessageCut,
		node.HealthTold,
		node.HealthNamed,
		node.HealthOfInitContainer,
		node.HealthOfExtendedResource,
		node.ClaimLeftAlone,
		node.ClaimNeverMade,
		node.OneConnection,
		node.HealthDeclined,
		node.OlderAPIServer,
		node.DroppedFields,
		node.Metadata,
		node.MetadataOfTwoDrivers,
		node.SkippedOperations,
		node.MappedInCgroups,
		node.CallsOneByOne,
		node.GenerationRaised,
		node.StaticPod,
		node.EphemeralContainer,
		node.Sidecar,
		node.SandboxRestarted,
		node.ResizedInPlace,
		node.CheckpointLost,
		node.PodResourcesOfPod,
		node.SharedDevice,
		node.HealthOfShares,
		node.PodResourcesAfterRestart,
		node.WorkerRestart,
		node.ControlPlaneRestart,
	)
}

// lifeCases are those for drivers as their vendors have installed them.
func lifeCases() []harness.Case {
	return cases(
		life.DriverReplaced,
		life.DriverKilled,
		life.KilledWhilePreparing,
		life.PodEndsWithoutDriver,
		life.ClaimDeletedWithoutDriver,
		life.Rebooted,
		life.NodeRebooted,
		life.AnswerLost,
		life.CallsTwice,
		life.CallCut,
		life.PublishedAgain,
		life.Inventory,
		life.Costs,
		life.RollingUpdated,
		life.UpdateUndone,
		life.UpdatedInTurn,
		life.Upgraded,
		life.Downgraded,
		life.DeviceUnhealthy,
		life.DeviceTainted,
		life.Uninstalled,
	)
}

// allocationCases are those of the search of the scheduler.
func allocationCases() []harness.Case {
	return cases(
		allocation.AdminAccess,
		allocation.AllInUse,
		allocation.AllNeedsOne,
		allocation.AllRequests,
		allocation.AlternativeClassMissing,
		allocation.AlternativeReference,
		allocation.Alternatives,
		allocation.AlternativeNamed,
		allocation.BetterAlternative,
		allocation.CapacityBeyondPolicy,
		allocation.CapacityFractions,
		allocation.CapacityOfEach,
		allocation.CapacityRounding,
		allocation.CapacityUsedUp,
		allocation.CELExpressions,
		allocation.ClaimsTogether,
		allocation.ClassChanges,
		allocation.Configuration,
		allocation.ConfigurationIgnored,
		allocation.CompatibilityGroups,
		allocation.ConstraintRequests,
		allocation.ConstraintsTogether,
		allocation.Counters,
		allocation.DeallocatedIfStuck,
		allocation.DerivedAttributes,
		allocation.DerivedErrors,
		allocation.DerivedPerRequest,
		allocation.DeviceIdentity,
		allocation.DeviceNames,
		allocation.DeviceNodes,
		allocation.DeviceNodeSelectors,
		allocation.DeviceOverhead,
		allocation.DevicesWithdrawn,
		allocation.DistinctAttribute,
		allocation.EmptyClaim,
		allocation.EmptyClass,
		allocation.FilterTimeout,
		allocation.FilterTimeoutElsewhere,
		allocation.FilterTimeoutOff,
		allocation.LimitOfDevices,
		allocation.ListAttributes,
		allocation.MappedResources,
		allocation.MatchAttribute,
		allocation.NetworkDevices,
		allocation.NodeAllocatableStatus,
		allocation.NotShared,
		allocation.OptionalOperations,
		allocation.OptionalOperationsUndeclared,
		allocation.PodLevelResources,
		allocation.PoolGenerations,
		allocation.PoolMoves,
		allocation.PoolOrder,
		allocation.Preempted,
		allocation.ReadyAtOnce,
		allocation.WhenAllocated,
		allocation.OthersClaims,
		allocation.RuleBeforeSlice,
		allocation.RuleTaint,
		allocation.SelectorError,
		allocation.SliceOrder,
		allocation.Tolerations,
	)
}

// claimsCases are those of what becomes of claims.
func claimsCases() []harness.Case {
	return cases(
		claims.AllClaimsThere,
		claims.ConcurrentWriters,
		claims.DeletedIdle,
		claims.DeletedInUse,
		claims.DeletedUnused,
		claims.DeviceStatusFreed,
		claims.EndedPods,
		claims.ForeignClaim,
		claims.FoundAgain,
		claims.LastReservation,
		claims.LeftHalfway,
		claims.LongNames,
		claims.NoCapacityTwice,
		claims.NoCounterTwice,
		claims.NoClaimNeeded,
		claims.NoDeviceTwice,
		claims.OneAllocation,
		claims.OrderOfWrites,
		claims.OwnNamespace,
		claims.OutOfService,
		claims.Owner,
		claims.PodBeingDeleted,
		claims.PodsOnly,
		claims.ReservationGivenUp,
		claims.Reservations,
		claims.SameNameAgain,
		claims.TemplateCopied,
		claims.TwoTemplates,
		claims.Unaffected,
		claims.Workload,
		claims.WriteRefused,
	)
}

func cases(list ...harness.Case) []harness.Case { return list }

// perGRPC makes a case of its own for each version of the kubelet's plugin API.
// The plain ID is the newest version's.
func perGRPC(c harness.Case) []harness.Case {
	newest, old := c, c
	newest.Needs.GRPC = []spec.GRPCVersion{spec.GRPCv1}
	old.ID += "-v1beta1"
	old.Needs.Devices = 0 // other drivers offer what they offer
	old.Needs.GRPC = []spec.GRPCVersion{spec.GRPCv1beta1}
	return []harness.Case{newest, old}
}

// bothGRPC lets the case's driver offer all versions of the plugin API.
func bothGRPC(c harness.Case) harness.Case {
	c.ID += "-both-apis"
	return c
}
