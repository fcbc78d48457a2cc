package bugs

import "k8s.io/dynamic-resource-allocation/kubeletplugin"

// What breaks a promise of drivers that no published one is known to have broken is here
// without an issue: each sanity check has to show that it can fail.

func ofServing() []Bug {
	return []Bug{
		{
			Name: "old-api-dropped", Check: "sanity/versions-served",
			Story:   "Only the newest version of the plugin API is served, so that older kubelets cannot use the driver.",
			process: Process{options: []kubeletplugin.Option{kubeletplugin.NodeV1beta1(false)}},
		},
		{
			Name: "directory-shared", Check: "sanity/directory-own",
			Story:   "Two drivers of a vendor have their sockets in the directory of one.",
			process: Process{beside: secondInDirectory},
		},
		{
			Name: "health-fails", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1423", Check: "sanity/health-declined",
			Story:  "A driver that does not report health says so by an error of its own, and is asked for ever.",
			around: func(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return healthFails{driver} },
		},
		{
			Name: "old-health-dropped", Check: "sanity/both-health-apis",
			Story:   "Health is reported only in the newest version of the API, so that older kubelets learn nothing of it.",
			process: Process{options: []kubeletplugin.Option{kubeletplugin.HealthV1alpha1(false)}},
		},
		{
			Name: "updates-lost", Issue: "kubernetes-sigs/dra-driver-cpu#172", Check: "sanity/parallel-calls",
			Story:   "Calls are worked on at the same time, and one writes what is prepared without what the other has added.",
			around:  updatesLost,
			process: Process{options: []kubeletplugin.Option{kubeletplugin.Serialize(false)}},
		},
		{
			Name: "slow-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#374", Cases: []string{"life/costs"},
			Story:  "Each prepare waits for something that takes longer than a second, and so do the calls behind it.",
			around: slowPrepare,
		},
	}
}

func ofAnswering() []Bug {
	return []Bug{
		{
			Name: "only-errors-answered", Check: "sanity/one-answer-per-claim",
			Story:  "Claims that were unprepared with success are not in the answer.",
			around: func(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return onlyErrors{driver} },
		},
		{
			Name: "all-or-nothing", Check: "sanity/batch-with-bad-claim",
			Story:  "A call fails as a whole when one of its claims cannot be prepared.",
			around: func(_ Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin { return allOrNothing{driver} },
		},
		{
			Name: "all-requests", Check: "sanity/answer-names-devices",
			Story:  "Each device is answered for all requests of its claim, so that a container that names one gets the devices of all.",
			around: allRequests,
		},
		{
			Name: "unqualified-names", Check: "sanity/cdi-names-qualified",
			Story:  "CDI devices are answered without vendor and class, and no runtime finds them.",
			around: unqualifiedNames,
		},
		{
			Name: "names-reused", Issue: "kubernetes-sigs/dra-example-driver#50", Check: "sanity/cdi-names-not-reused",
			Story:  "CDI devices have the names of devices, and for the next claim the same name means something else.",
			around: namesReused,
		},
		{
			Name: "old-answers-incomplete", Check: "sanity/versions-agree",
			Story:   "Answers in the older version of the plugin API do not name requests.",
			process: Process{answer: oldAnswersIncomplete},
		},
		{
			Name: "claims-by-name", Check: "sanity/claim-not-there",
			Story:   "A claim is looked up by its name alone, and another one that has taken the name is prepared.",
			process: Process{answer: claimsByName},
		},
		{
			Name: "errors-hidden", Check: "sanity/not-found",
			Story:   "Whatever has failed, the kubelet is only told that something has.",
			process: Process{answer: errorsHidden},
		},
	}
}

func ofDevices() []Bug {
	return []Bug{
		{
			Name: "withdrawn-prepared", Check: "sanity/device-not-there",
			Story:  "A claim is prepared for a device that there is not any more.",
			around: withdrawnPrepared,
		},
		{
			Name: "in-use-prepared", Issue: "kubernetes-sigs/dra-example-driver#263", Check: "sanity/device-still-prepared",
			Story:  "A device is prepared for a claim while it is prepared for another one.",
			around: inUsePrepared,
		},
		{
			Name: "admin-tears-down", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1280", Check: "sanity/admin-access",
			Story:  "The end of a claim with admin access takes away what the device's user has.",
			around: adminTearsDown,
		},
		{
			Name: "users-miscounted", Check: "sanity/unprepare-repeated",
			Story:  "Each unprepare counts off a user of the device, and the second one for a claim fails as there is none.",
			around: usersMiscounted,
		},
		{
			Name: "unknown-refused", Check: "sanity/unprepare-unknown",
			Story:  "Unprepare of a claim that is not prepared is an error.",
			around: unknownRefused,
		},
		{
			Name: "second-file-stays", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#109", Check: "sanity/unprepare-undoes",
			Cases:  []string{"life/call-cut", "life/killed-while-preparing"},
			Story:  "Unprepare says success and leaves a file of the claim to a clean-up that does not come.",
			around: secondFileStays,
		},
		{
			Name: "forgotten-first", Issue: "kubernetes-sigs/dra-driver-cpu#178", Check: "sanity/cancelled-unprepare",
			Story:  "A claim is forgotten before its CDI spec is removed, and an unprepare that was given up in between is not made up for.",
			around: forgottenFirst,
		},
		{
			Name: "own-taken-for-others", Cases: []string{"life/answer-lost"},
			Story:  "What an earlier process has prepared is taken for somebody else's, and is not prepared again for its claim.",
			around: ownTakenForOthers,
		},
	}
}

func ofConfiguring() []Bug {
	return []Bug{
		{
			Name: "invalid-config-dropped", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#584", Check: "sanity/config-invalid",
			Story:  "What cannot be understood of a configuration is left out, and the claim is prepared without it.",
			around: invalidConfigDropped,
		},
		{
			Name: "unknown-kind-panics", Check: "sanity/config-unknown-kind",
			Story:  "Prepare panics for a configuration of another kind than the driver's own.",
			around: unknownKindPanics,
		},
		{
			Name: "other-drivers-config", Check: "sanity/config-for-other-driver",
			Story:  "A configuration for another driver is read, and refused.",
			around: otherDriversConfig,
		},
		{
			Name: "config-of-all-requests", Check: "sanity/config-for-other-request",
			Story:  "A configuration for one request is used for all of them.",
			around: configOfAllRequests,
		},
	}
}
