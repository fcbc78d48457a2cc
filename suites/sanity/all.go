package sanity

// All are the checks in the order in which they run: what others rest on comes first,
// what restarts the driver last.
func All() []Check {
	return []Check{
		devicesPublished, versionsServed, registered, directoryOwn, healthDeclined, bothHealthAPIs,
		oneAnswerPerClaim, answerNamesDevices, cdiNames, cdiDevicesResolve, cdiNamesNotReused,
		prepareRepeated, unprepareRepeated, unprepareUndoes, unprepareUnknown, unprepareDeletedClaim, claimNotThere, notFound, deviceNotThere, versionsAgree,
		restoredPrepare, cdiWriteFails, batchWithBadClaim, failedPrepare, parallelCalls, cancelledPrepare, cancelledUnprepare,
		configInvalid, configUnknownKind, configForOtherDriver, configForOtherRequest, configForAllRequests, configForSubrequest,
		otherDriversResults, adminAccess, shares, deviceStillPrepared, oldUnprepareSparesNew, devicesStay, checkpointDamaged,
		preparedOverRestart, unprepareAfterRestart, deletedWhileAway, restoredAfterRestart, registersAgain, socketsRemoved,
		baseSpecsLost, preparedOverUpgrade, slicesComeBack,
	}
}
