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
	"fmt"
	"slices"
	"strings"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Mutant is a bug of a driver, mostly of a published one.
type Mutant struct {
	spec.Defect
	// Check is the sanity check expected to fail; empty for bugs visible only with a kubelet and a DaemonSet.
	Check string
	// Cases are the life cases expected to fail, with the driver as shipped by a vendor.
	Cases []string
}

// CheckpointFile is the checkpoint of mutants with one, in the driver's directory.
const CheckpointFile = "checkpoint.json"

// Find returns the mutant of an ID; the empty ID is a mutant without a bug. The error lists all IDs.
func Find(id string) (Mutant, error) {
	if id == "" {
		return Mutant{}, nil
	}
	var ids []string
	for _, m := range All() {
		if m.ID == id {
			return m, nil
		}
		ids = append(ids, m.ID)
	}
	return Mutant{}, fmt.Errorf("bug %q is unknown: use one of %s", id, strings.Join(ids, ", "))
}

// All lists the mutants in the order of a claim's lifecycle.
func All() []Mutant {
	return slices.Concat(
		ofPublishing(), ofRegistering(), ofServing(), ofPreparing(), ofAnswering(), ofUnpreparing(), ofDevices(), ofKeeping(), ofReading(), ofConfiguring(), ofLife(),
	)
}

func ofPublishing() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "invalid-attribute", Issue: "kubernetes-sigs/dra-driver-cpu#217", What: "An attribute has a name that the API server refuses, so that nothing is published."},
			Check:  "sanity/devices-published",
		},
		{
			Defect: spec.Defect{ID: "too-many-devices", Issue: "containers/nri-plugins#802", What: "More devices are put into one slice than the API server takes, and that is tried for ever."},
			Check:  "sanity/devices-published",
		},
		{
			Defect: spec.Defect{ID: "publishes-once", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#330", What: "Slices that a kubelet deletes when it starts are not published again."},
			Check:  "sanity/slices-come-back",
		},
	}
}

func ofRegistering() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "hard-coded-root", Issue: "kubernetes-sigs/dranet#251", What: "The kubelet is told of a socket in /var/lib/kubelet, although its root directory is another one."},
			Check:  "sanity/registered",
		},
		{
			Defect: spec.Defect{ID: "registers-once", Issue: "kubernetes-sigs/dranet#19", What: "A process that takes over from another one does not register, until the kubelet is restarted."},
			Check:  "sanity/registers-again",
		},
		{
			Defect: spec.Defect{ID: "sockets-left", Issue: "kubernetes/kubernetes#132660", What: "Each process leaves its sockets, with names of their own, at which the kubelet then calls for ever."},
			Check:  "sanity/sockets-removed",
		},
	}
}

func ofKeeping() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "orphans-stay", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1278", What: "A claim that was deleted while the driver was away stays prepared, and nobody else gets its device."},
			Check:  "sanity/deleted-while-away",
		},
		{
			Defect: spec.Defect{ID: "checkpoint-of-one-release", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1066", What: "The checkpoint of the previous release cannot be read, nor this one's after a downgrade."},
			Check:  "sanity/prepared-over-upgrade",
			Cases:  []string{"life/upgraded", "life/downgraded"},
		},
		{
			Defect: spec.Defect{ID: "panics-on-damage", Issue: "kubernetes-sigs/dra-example-driver#240", What: "Unprepare panics when the checkpoint is damaged."},
			Check:  "sanity/checkpoint-damaged",
		},
		{
			Defect: spec.Defect{ID: "stale-cdi-cache", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1144", What: "CDI files that serve all claims are believed to be there, after they have been replaced below the driver."},
			Check:  "sanity/base-specs-lost",
		},
		{
			Defect: spec.Defect{ID: "lost-with-container", Issue: "kubernetes-sigs/dra-driver-cpu#235", What: "What a claim needs is kept only for the first start of its container."},
			Check:  "sanity/devices-stay",
		},
	}
}

func ofPreparing() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "restored-prepare", Issue: "kubernetes/kubernetes#141433", What: "A claim that is known as prepared is answered from memory, although its CDI spec is gone."},
			Check:  "sanity/restored-prepare",
		},
		{
			Defect: spec.Defect{ID: "reboot-taken-for-restart", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#951", What: "After a reboot the driver believes its checkpoint, and does not make again what the reboot has removed."},
			Check:  "sanity/restored-after-restart",
			Cases:  []string{"life/node-rebooted", "life/rebooted"},
		},
		{
			Defect: spec.Defect{ID: "repeated-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#729", What: "A second prepare takes a claim from prepared back to half-prepared."},
			Check:  "sanity/prepare-repeated",
			Cases:  []string{"life/calls-twice"},
		},
		{
			Defect: spec.Defect{ID: "state-before-cdi", Issue: "kubernetes-sigs/dra-driver-cpu#169", What: "A claim is remembered as prepared before its CDI spec is written, and stays so when that fails."},
			Check:  "sanity/cdi-write-fails",
		},
		{
			Defect: spec.Defect{ID: "no-device-nodes", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1380", What: "Prepare succeeds while the device nodes do not exist yet, with CDI devices that have no content."},
			Check:  "sanity/cdi-devices-resolve",
		},
		{
			Defect: spec.Defect{ID: "share-id-missing", Issue: "kubernetes/kubernetes#134519", What: "CDI names do not have the share in them, so that those of two claims for one device collide."},
			Check:  "sanity/shares",
		},
		{
			Defect: spec.Defect{ID: "half-prepared", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#840", What: "A claim whose preparation failed stays half-prepared, unprepare does nothing for it, and its devices are taken."},
			Check:  "sanity/failed-prepare",
		},
		{
			Defect: spec.Defect{ID: "no-roll-back", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1255", What: "When the second of two devices fails, the first one stays as it was made, and nobody undoes it."},
			Check:  "sanity/failed-prepare",
		},
	}
}

func ofUnpreparing() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "unprepare-needs-claim", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#340", What: "Unprepare reads the claim, and fails for ever when that has been deleted."},
			Check:  "sanity/unprepare-deleted-claim",
			Cases:  []string{"life/claim-deleted-without-driver"},
		},
		{
			Defect: spec.Defect{ID: "stale-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1162", What: "A prepare that the kubelet has given up goes on after the claim has been unprepared, and wins."},
			Check:  "sanity/cancelled-prepare",
		},
		{
			Defect: spec.Defect{ID: "new-prepare-first", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#641", What: "The prepare of a new claim comes before the unprepare of the old one, which then takes the device away."},
			Check:  "sanity/old-unprepare-spares-new",
		},
		{
			Defect: spec.Defect{ID: "forgets-on-restart", Issue: "kubernetes-sigs/dranet#89", What: "What was prepared is only in memory: the driver knows nothing of it after a restart."},
			Check:  "sanity/unprepare-after-restart",
			Cases:  []string{"life/driver-killed", "life/driver-replaced", "life/pod-ends-without-driver"},
		},
		{
			Defect: spec.Defect{ID: "start-up-pruning", Issue: "kubernetes-sigs/dranet#232", What: "When the driver starts, it removes what belongs to claims that it does not know yet."},
			Check:  "sanity/prepared-over-restart",
		},
	}
}

// ofLife returns the mutants of a deployed driver.
func ofLife() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "names-change", Issue: "ROCm/k8s-gpu-dra-driver#83", What: "Devices have other names in each process, so that a claim is for another device after a restart."},
			Cases:  []string{"life/published-again"},
		},
		{
			Defect: spec.Defect{ID: "last-device-missing", Issue: "containers/nri-plugins#802", What: "What does not go into the slice is left out, and nobody is told."},
			Cases:  []string{"life/inventory"},
		},
		{
			Defect: spec.Defect{ID: "one-socket", Issue: "kubernetes-sigs/dra-example-driver#113", What: "Two processes that run side by side have one name for their sockets, and the one that ends removes the other's."},
			Cases:  []string{"life/rolling-updated"},
		},
		{
			Defect: spec.Defect{ID: "slices-removed", Issue: "kubernetes/kubernetes#128964", What: "A process that ends removes the slices, which the next one has published already."},
			Cases:  []string{"life/rolling-updated"},
		},
		{
			Defect: spec.Defect{ID: "reads-once", What: "A process reads what is prepared when it starts, and knows nothing of what another one prepares beside it."},
			Cases:  []string{"life/update-undone"},
		},
		{
			Defect: spec.Defect{ID: "stays-unhealthy", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#878", What: "A device that was healed is told to be unhealthy until the driver is restarted."},
			Cases:  []string{"life/device-unhealthy", "life/device-tainted"},
		},
		{
			Defect: spec.Defect{ID: "specs-stay", Issue: "ROCm/container-toolkit#18", What: "A CDI file that is there for all claims stays when the driver is uninstalled."},
			Cases:  []string{"life/uninstalled"},
		},
	}
}

func ofReading() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "other-drivers-results", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1371", What: "Devices that another driver has to prepare are taken for own ones."},
			Check:  "sanity/other-drivers-results",
		},
		{
			Defect: spec.Defect{ID: "subrequest-config", Issue: "kubernetes-sigs/dra-example-driver#257", What: "The configuration of a request is not used for the alternative of it that was chosen."},
			Check:  "sanity/config-for-subrequest",
		},
		{
			Defect: spec.Defect{ID: "config-requests-required", Issue: "kubernetes-sigs/dra-driver-cpu#269", What: "A configuration that names no requests, and so is for all, is refused."},
			Check:  "sanity/config-for-all-requests",
		},
	}
}
