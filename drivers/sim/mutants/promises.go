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

package mutants

import (
	"github.com/dra-conformance/dratest/framework/spec"
)

// Violations of requirements not known from a published driver have no issue: each sanity check must be proven to be
// able to fail.

func ofServing() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "old-api-dropped", What: "Only the newest version of the plugin API is served: older kubelets cannot use the driver."},
			Check:  "sanity/versions-served", Hides: []string{"sanity/versions-agree"},
		},
		{
			Defect: spec.Defect{ID: "directory-shared", What: "Two drivers of a vendor have their sockets in the directory of one."},
			Check:  "sanity/directory-own",
		},
		{
			Defect: spec.Defect{ID: "health-fails", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1423", What: "A driver without health reports returns an error other than Unimplemented, and is asked forever."},
			Check:  "sanity/health-declined", Hides: []string{"sanity/both-health-apis"},
		},
		{
			Defect: spec.Defect{ID: "old-health-dropped", What: "Health is reported only in the newest version of the API: older kubelets do not receive it."},
			Check:  "sanity/both-health-apis",
		},
		{
			Defect: spec.Defect{ID: "updates-lost", Issue: "kubernetes-sigs/dra-driver-cpu#172", What: "Concurrent calls overwrite each other's record of prepared claims."},
			Check:  "sanity/parallel-calls",
		},
		{
			Defect: spec.Defect{ID: "slow-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#374", What: "Each prepare waits for more than a second, and blocks the calls behind it."},
			Cases:  []string{"life/costs"},
		},
	}
}

func ofAnswering() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "only-errors-answered", What: "Successfully unprepared claims are missing in the response."},
			Check:  "sanity/one-answer-per-claim",
		},
		{
			Defect: spec.Defect{ID: "all-or-nothing", What: "A call fails as a whole when one of its claims cannot be prepared."},
			Check:  "sanity/batch-with-bad-claim",
		},
		{
			Defect: spec.Defect{ID: "all-requests", What: "Each device is returned for all requests of its claim: a container referring to one request gets all devices."},
			Check:  "sanity/answer-names-devices",
		},
		{
			Defect: spec.Defect{ID: "unqualified-names", What: "CDI devices are answered without vendor and class, and no runtime finds them."},
			Check:  "sanity/cdi-names-qualified", Hides: []string{everything}, // the library answers with an error
		},
		{
			Defect: spec.Defect{ID: "names-reused", Issue: "kubernetes-sigs/dra-example-driver#50", What: "CDI devices have the names of devices, and for the next claim the same name means something else."},
			Check:  "sanity/cdi-names-not-reused",
		},
		{
			Defect: spec.Defect{ID: "old-answers-incomplete", What: "Answers in the older version of the plugin API do not name requests."},
			Check:  "sanity/versions-agree",
		},
		{
			Defect: spec.Defect{ID: "claims-by-name", What: "A claim is looked up only by name, and a new claim with the same name is prepared instead."},
			Check:  "sanity/claim-not-there",
		},
		{
			Defect: spec.Defect{ID: "errors-hidden", What: "Errors are returned without their cause."},
			Check:  "sanity/not-found",
		},
	}
}

func ofDevices() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "withdrawn-prepared", What: "A claim is prepared for a device that no longer exists."},
			Check:  "sanity/device-not-there",
		},
		{
			Defect: spec.Defect{ID: "in-use-prepared", Issue: "kubernetes-sigs/dra-example-driver#263", What: "A device is prepared for a claim while it is prepared for another one."},
			Check:  "sanity/device-still-prepared",
		},
		{
			Defect: spec.Defect{ID: "admin-tears-down", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1280", What: "Unprepare of a claim with admin access removes the state of the device's user."},
			Check:  "sanity/admin-access",
		},
		{
			Defect: spec.Defect{ID: "users-miscounted", What: "Each unprepare counts off a user of the device, and the second one for a claim fails as there is none."},
			Check:  "sanity/unprepare-repeated",
		},
		{
			Defect: spec.Defect{ID: "unknown-refused", What: "Unprepare of an unprepared claim is an error."},
			Check:  "sanity/unprepare-unknown",
		},
		{
			Defect: spec.Defect{ID: "second-file-stays", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#109", What: "Unprepare succeeds and leaves a file of the claim behind."},
			Check:  "sanity/unprepare-undoes",
			Cases:  []string{"life/call-cut", "life/killed-while-preparing"},
		},
		{
			Defect: spec.Defect{ID: "forgotten-first", Issue: "kubernetes-sigs/dra-driver-cpu#178", What: "A claim is forgotten before its CDI spec is removed, so an unprepare canceled in between is never completed."},
			Check:  "sanity/cancelled-unprepare",
		},
		{
			Defect: spec.Defect{ID: "own-taken-for-others", What: "State prepared by an earlier process is treated as foreign and not prepared again for its claim."},
			Cases:  []string{"life/answer-lost"},
		},
	}
}

func ofConfiguring() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "invalid-config-dropped", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#584", What: "Unknown parts of a configuration are ignored, and the claim is prepared without them."},
			Check:  "sanity/config-invalid", Hides: []string{"sanity/failed-prepare", "sanity/batch-with-bad-claim"}, // nothing fails
		},
		{
			Defect: spec.Defect{ID: "unknown-kind-panics", What: "Prepare panics for a configuration of another kind than the driver's own."},
			Check:  "sanity/config-unknown-kind",
		},
		{
			Defect: spec.Defect{ID: "other-drivers-config", What: "A configuration for another driver is read, and refused."},
			Check:  "sanity/config-for-other-driver",
		},
		{
			Defect: spec.Defect{ID: "config-of-all-requests", What: "A configuration for one request is used for all of them."},
			Check:  "sanity/config-for-other-request", Hides: []string{"sanity/failed-prepare"}, // the first device fails, too
		},
	}
}

// ofSeveral has bugs of claims with several devices, requests or shares, and of devices and claims with equal names.
func ofSeveral() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "configs-by-position", What: "The n-th configuration is used for the n-th request, whichever request it names."},
			Check:  "sanity/configs-of-several-requests",
		},
		{
			Defect: spec.Defect{ID: "alternatives-by-name", What: "A configuration for an alternative is also used for alternatives of other requests with the same name."},
			Check:  "sanity/configs-of-alternatives",
		},
		{
			Defect: spec.Defect{ID: "config-of-any-alternative", What: "A configuration for one alternative is used for another one that was chosen."},
			Check:  "sanity/configs-of-alternatives",
		},
		{
			Defect: spec.Defect{ID: "first-of-count", What: "Of a request for two devices only the first one is prepared."},
			Check:  "sanity/several-devices",
		},
		{
			Defect: spec.Defect{ID: "freed-one-by-one", What: "Each unprepare undoes one device of a claim."},
			Check:  "sanity/several-devices",
		},
		{
			Defect: spec.Defect{ID: "state-by-name", What: "Prepared claims are known by name, and a new claim of the same name is taken for the old one."},
			Check:  "sanity/same-claim-name",
		},
		{
			Defect: spec.Defect{ID: "pool-ignored", What: "Devices of the same name in two pools are taken for one device."},
			Check:  "sanity/same-device-name",
		},
		{
			Defect: spec.Defect{ID: "share-remembered", What: "The response for a shared device names the share of an earlier claim."},
			Check:  "sanity/shares",
		},
		{
			Defect: spec.Defect{ID: "shares-merged", What: "Two shares of a device in one claim are one device in the response."},
			Check:  "sanity/shares-of-one-claim",
		},
		{
			Defect: spec.Defect{ID: "unprepare-errors-dropped", What: "Unprepare succeeds although a CDI file of the claim could not be removed."},
			Check:  "sanity/unprepare-fails",
		},
	}
}
