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

package node

import "github.com/dra-conformance/dratest/framework/harness"

// Cases returns this area's cases in listing and planning order.
func Cases() []harness.Case {
	return []harness.Case{
		InUseAfterRestart,
		RestartedMeanwhile,
		DriverAfterKubelet,
		PodResources,
		LostCDIFiles,
		TerminatingWithoutDriver,
		TwoDrivers,
		BatchOfClaims,
		DevicesOnce,
		DevicesOnceAfterRestart,
		ClaimOfNoContainer,
		PrepareBeforeSandbox,
		TwoOfThreeRequests,
		PreparedAndNew,
		NoAnswer,
		WrongAnswers,
		WrongUnprepareAnswers,
		RefusedPodDeleted,
		JoinedWhileUnprepared,
		SameNameStillPrepared,
		StatusWithoutClaims,
		DriverAway,
		CDIDevices,
		AnsweredDevices,
		Registration,
		RegistrationFailed,
		RegistrationNotHeard,
		ServiceAway,
		CSIOfSameName,
		CallMetrics,
		OperationMetrics,
		BesideOthers,
		SlicesOfNode,
		SlicesCleared,
		KubeletDown,
		Health,
		HealthStates,
		HealthTimeout,
		HealthDriverGone,
		HealthOlderAPI,
		HealthMessageCut,
		HealthReported,
		HealthNamed,
		HealthOfInitContainer,
		HealthOfExtendedResource,
		ClaimLeftAlone,
		ClaimNeverMade,
		OneConnection,
		HealthDeclined,
		OlderAPIServer,
		DroppedFields,
		Metadata,
		MetadataOfTwoDrivers,
		SkippedOperations,
		MappedInCgroups,
		CallsOneByOne,
		GenerationRaised,
		StaticPod,
		EphemeralContainer,
		Sidecar,
		SandboxRestarted,
		ResizedInPlace,
		CheckpointLost,
		PodResourcesOfPod,
		SharedDevice,
		HealthOfShares,
		PodResourcesAfterRestart,
		WorkerRestart,
		ControlPlaneRestart,
	}
}
