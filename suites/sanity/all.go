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

package sanity

// All returns the checks in the order they run: basic checks first, checks restarting the driver
// last.
func All() []Check {
	return []Check{
		devicesPublished, versionsServed, registered, directoryOwn, healthDeclined, bothHealthAPIs,
		oneAnswerPerClaim, answerNamesDevices, severalDevices, eachDevice, sameDeviceName, cdiNames, cdiDevicesResolve, cdiNamesNotReused,
		prepareRepeated, unprepareRepeated, unprepareUndoes, unprepareUnknown, unprepareDeletedClaim, sameClaimName, claimNotThere, notFound, deviceNotThere, versionsAgree,
		restoredPrepare, cdiWriteFails, batchWithBadClaim, failedPrepare, parallelCalls, cancelledPrepare, cancelledUnprepare, unprepareFails,
		configInvalid, configUnknownKind, configForOtherDriver, configForOtherRequest, configForAllRequests, configForSubrequest,
		configsOfSeveralRequests, configsOfAlternatives,
		otherDriversResults, adminAccess, shares, sharesOfOneClaim, capacityNotExceeded, deviceStillPrepared, oldUnprepareSparesNew, devicesStay, checkpointDamaged,
		preparedOverRestart, unprepareAfterRestart, stateKeptByNextPrepare, deletedWhileAway, restoredAfterRestart, registersAgain, socketsRemoved,
		baseSpecsLost, preparedOverUpgrade, slicesComeBack,
	}
}
