/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package claims

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns the cases of this area in listing order.
func Cases() []harness.Case {
	return []harness.Case{
		AllClaimsThere,
		AllocatedMeanwhile,
		AllocationAwaited,
		ConcurrentWriters,
		DeletedIdle,
		FinalizerRemoved,
		DeletedInUse,
		DeletedMeanwhile,
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
		NoneForEnded,
		OneAllocation,
		OrderOfWrites,
		OwnNamespace,
		OutOfService,
		Owner,
		PodBeingDeleted,
		PodsOnly,
		QuotaOfTemplates,
		ReservationGivenUp,
		RecreatedMeanwhile,
		Reservations,
		SameNameAgain,
		TemplateCopied,
		TwoTemplates,
		ManyFromTemplate,
		Unaffected,
		Workload,
		WriteRefused,
	}
}
