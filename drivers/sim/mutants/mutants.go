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
	// TwoNodes: it shows only beside the driver of another node.
	TwoNodes bool
	// Hides are patterns (path.Match) of the checks without a verdict on this bug, such as all where nothing is published.
	Hides []string
}

// Patterns of Mutant.Hides.
const (
	everything = "sanity/*"
	// configured are the checks that see a configuration by what is in CDI devices.
	configured = "sanity/config*"
)

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
		ofPublishing(), ofRegistering(), ofServing(), ofPreparing(), ofAnswering(), ofUnpreparing(), ofDevices(), ofKeeping(), ofReading(), ofConfiguring(), ofSeveral(), ofLife(),
	)
}

// FindAll returns the mutants of IDs joined by commas; without any there is no bug.
func FindAll(ids string) ([]Mutant, error) {
	var found []Mutant
	for id := range strings.SplitSeq(ids, ",") {
		m, err := Find(id)
		if err != nil {
			return nil, err
		}
		if m.ID != "" {
			found = append(found, m)
		}
	}
	return found, nil
}

func ofPublishing() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "invalid-attribute", Issue: "kubernetes-sigs/dra-driver-cpu#217", What: "An attribute has an invalid name: the API server rejects the slices and nothing is published."},
			Check:  "sanity/devices-published", Hides: []string{everything},
		},
		{
			Defect: spec.Defect{ID: "too-many-devices", Issue: "containers/nri-plugins#802", What: "A slice has too many devices for the API server, and the write is retried forever."},
			Check:  "sanity/devices-published", Hides: []string{everything},
		},
		{
			Defect: spec.Defect{ID: "publishes-once", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#330", What: "Slices deleted by a starting kubelet are not published again."},
			Check:  "sanity/slices-come-back",
		},
		{
			Defect: spec.Defect{ID: "updated-slice-lost", Issue: "kubernetes/kubernetes#140011", What: "A deleted slice is not published again if the driver has updated it before."},
			Check:  "sanity/slices-come-back",
		},
		{
			Defect: spec.Defect{ID: "created-slice-lost", Issue: "kubernetes/kubernetes#132683", What: "A slice deleted soon after its creation is not published again."},
			Check:  "sanity/slices-come-back",
		},
		{
			Defect: spec.Defect{ID: "no-devices", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1008", What: "A slice is published without devices."},
			Check:  "sanity/devices-published", Hides: []string{everything},
		},
		{
			Defect: spec.Defect{ID: "pool-of-all-nodes", Issue: "cilium/cilium#48922", What: "The pools of all nodes have the same name, so each node's slices replace those of the others."},
			Check:  "sanity/devices-published", TwoNodes: true,
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
			Defect: spec.Defect{ID: "registers-once", Issue: "kubernetes-sigs/dranet#19", What: "A process replacing another one does not register until the kubelet is restarted."},
			Check:  "sanity/registers-again",
		},
		{
			Defect: spec.Defect{ID: "sockets-left", Issue: "kubernetes/kubernetes#132660", What: "Each process leaves behind sockets with unique names, and the kubelet calls them forever."},
			Check:  "sanity/sockets-removed",
		},
	}
}

func ofKeeping() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "orphans-stay", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1278", What: "A claim deleted while the driver was stopped stays prepared and blocks its device."},
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
			Defect: spec.Defect{ID: "stale-cdi-cache", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1144", What: "CDI files shared by all claims are assumed to exist after they were replaced on disk."},
			Check:  "sanity/base-specs-lost",
		},
		{
			Defect: spec.Defect{ID: "checkpoint-overwritten", Issue: "kubernetes-sigs/dra-example-driver#249", What: "The first prepare after a restart replaces the checkpoint, and the claims prepared before are forgotten."},
			Check:  "sanity/state-kept-by-next-prepare",
		},
		{
			Defect: spec.Defect{ID: "lost-with-container", Issue: "kubernetes-sigs/dra-driver-cpu#235", What: "The state of a claim is kept only for the first start of its container."},
			Check:  "sanity/devices-stay",
		},
	}
}

func ofPreparing() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "restored-prepare", Issue: "kubernetes/kubernetes#141433", What: "A prepared claim is answered from memory although its CDI spec was deleted."},
			Check:  "sanity/restored-prepare",
		},
		{
			Defect: spec.Defect{ID: "reboot-taken-for-restart", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#951", What: "After a reboot the driver trusts its checkpoint and does not recreate files removed by the reboot."},
			Check:  "sanity/restored-after-restart",
			Cases:  []string{"life/node-rebooted", "life/rebooted"},
		},
		{
			Defect: spec.Defect{ID: "repeated-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#729", What: "A second prepare takes a claim from prepared back to half-prepared."},
			Check:  "sanity/prepare-repeated",
			Cases:  []string{"life/calls-twice"},
		},
		{
			Defect: spec.Defect{ID: "prepares-anew", Issue: "kubernetes-sigs/dra-driver-cpu#175", What: "A repeated prepare takes further devices, and unprepare returns only these."},
			Check:  "sanity/prepare-repeated",
		},
		{
			Defect: spec.Defect{ID: "last-device-fails", Issue: "kubernetes-sigs/dranet#193", What: "A device is published, and every prepare of it fails."},
			Check:  "sanity/each-device",
		},
		{
			Defect: spec.Defect{ID: "gone-device-published", Issue: "google/dranet#155", What: "A device that no longer exists stays published and is allocated to claims."},
			Check:  "sanity/each-device",
		},
		{
			Defect: spec.Defect{ID: "used-once", Issue: "google/dranet#141", What: "A device is missing on its node after the unprepare, so it cannot be prepared for the next claim."},
			Check:  "sanity/each-device", Hides: []string{everything},
		},
		{
			Defect: spec.Defect{ID: "state-before-cdi", Issue: "kubernetes-sigs/dra-driver-cpu#169", What: "A claim is recorded as prepared before its CDI spec is written, and stays so if the write fails."},
			Check:  "sanity/cdi-write-fails",
		},
		{
			Defect: spec.Defect{ID: "no-device-nodes", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1380", What: "Prepare succeeds before the device nodes exist, with empty CDI devices."},
			Check:  "sanity/cdi-devices-resolve", Hides: []string{configured},
		},
		{
			Defect: spec.Defect{ID: "share-id-missing", Issue: "kubernetes/kubernetes#134519", What: "CDI names do not contain the share, so two claims for one device collide."},
			Check:  "sanity/shares",
		},
		{
			Defect: spec.Defect{ID: "capacity-not-checked", Issue: "Project-HAMi/k8s-dra-driver#24", What: "Shares are prepared although they exceed the capacity of their device."},
			Check:  "sanity/capacity-not-exceeded",
		},
		{
			Defect: spec.Defect{ID: "half-prepared", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#840", What: "A claim with a failed prepare stays half-prepared: unprepare ignores it and its devices stay in use."},
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
			Defect: spec.Defect{ID: "unprepare-needs-claim", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#340", What: "Unprepare reads the claim, and fails forever after the claim was deleted."},
			Check:  "sanity/unprepare-deleted-claim",
			Cases:  []string{"life/claim-deleted-without-driver"},
		},
		{
			Defect: spec.Defect{ID: "stale-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1162", What: "A canceled prepare continues after the claim was unprepared, and prepares it again."},
			Check:  "sanity/cancelled-prepare",
		},
		{
			Defect: spec.Defect{ID: "new-prepare-first", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#641", What: "If a new claim is prepared before the old one is unprepared, the unprepare takes the device away."},
			Check:  "sanity/old-unprepare-spares-new",
		},
		{
			Defect: spec.Defect{ID: "forgets-on-restart", Issue: "kubernetes-sigs/dranet#89", What: "Prepared claims are kept only in memory and lost on restart."},
			Check:  "sanity/unprepare-after-restart",
			Cases:  []string{"life/driver-killed", "life/driver-replaced", "life/pod-ends-without-driver"},
		},
		{
			Defect: spec.Defect{ID: "start-up-pruning", Issue: "kubernetes-sigs/dranet#232", What: "A starting driver removes the state of claims it has not yet read."},
			Check:  "sanity/prepared-over-restart",
		},
	}
}

func ofLife() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "names-change", Issue: "ROCm/k8s-gpu-dra-driver#83", What: "Device names change with each process, so a claim refers to another device after a restart."},
			Cases:  []string{"life/published-again"},
		},
		{
			Defect: spec.Defect{ID: "last-device-missing", Issue: "containers/nri-plugins#802", What: "Devices that do not fit into the slice are dropped silently."},
			Cases:  []string{"life/inventory"},
		},
		{
			Defect: spec.Defect{ID: "one-socket", Issue: "kubernetes-sigs/dra-example-driver#113", What: "Two processes running side by side share a socket name, and the terminating one removes the other's socket."},
			Cases:  []string{"life/rolling-updated"},
		},
		{
			Defect: spec.Defect{ID: "slices-removed", Issue: "kubernetes/kubernetes#128964", What: "A terminating process removes the slices already published by its successor."},
			Cases:  []string{"life/rolling-updated"},
		},
		{
			Defect: spec.Defect{ID: "reads-once", What: "A process reads the prepared claims only at startup and misses those prepared by another process."},
			Cases:  []string{"life/update-undone"},
		},
		{
			Defect: spec.Defect{ID: "configured-once", What: "A prepared claim with a configuration is not prepared again, because its configuration was applied."},
			Cases:  []string{"life/answer-lost"},
		},
		{
			Defect: spec.Defect{ID: "stays-unhealthy", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#878", What: "A repaired device is reported unhealthy until the driver is restarted."},
			Cases:  []string{"life/device-unhealthy", "life/device-tainted"},
		},
		{
			Defect: spec.Defect{ID: "specs-stay", Issue: "ROCm/container-toolkit#18", What: "A CDI file shared by all claims remains after the driver is uninstalled."},
			Cases:  []string{"life/uninstalled"},
		},
	}
}

func ofReading() []Mutant {
	return []Mutant{
		{
			Defect: spec.Defect{ID: "last-config-only", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1251", What: "Of several configurations of a claim only the last one counts."},
			Check:  "sanity/configs-of-several-requests",
		},
		{
			Defect: spec.Defect{ID: "devices-twice", Issue: "kubernetes/kubernetes#141335", What: "The response has each device twice."},
			Check:  "sanity/answer-names-devices",
		},
		{
			Defect: spec.Defect{ID: "other-drivers-results", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1371", What: "Devices of another driver are treated as its own."},
			Check:  "sanity/other-drivers-results",
		},
		{
			Defect: spec.Defect{ID: "subrequest-config", Issue: "kubernetes-sigs/dra-example-driver#257", What: "The configuration of a request is not applied to its chosen alternative."},
			Check:  "sanity/config-for-subrequest",
		},
		{
			Defect: spec.Defect{ID: "config-requests-required", Issue: "kubernetes-sigs/dra-driver-cpu#269", What: "A configuration without requests, meant for all of them, is rejected."},
			Check:  "sanity/config-for-all-requests",
		},
	}
}
