package sanity

// All returns the checks in the order they run: basic checks first, checks restarting the driver
// last.
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
