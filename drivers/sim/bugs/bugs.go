package bugs

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Bug is one way in which a driver is broken, mostly one that a published driver had.
type Bug struct {
	// Name is what --bug takes.
	Name string
	// Story is what goes wrong, in one sentence, and Issue where that is told of a published
	// driver, as "owner/repository#1"; empty where none is known.
	Story, Issue string
	// Check is the sanity check that has to fail; empty for what only shows with a kubelet and
	// a DaemonSet.
	Check string
	// Cases are those of life that have to fail, with the driver as a vendor ships it.
	Cases []string

	around    func(Place, kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin
	inventory func(*spec.Profile)
	process   Process
}

// Place is where the driver that is broken lives.
type Place struct {
	Driver string
	// CDIDir has its CDI specs, StateDir is for what outlives its process, and KubeletRoot
	// is the kubelet's root directory.
	CDIDir, StateDir, KubeletRoot string
	Client                        kubernetes.Interface
	// Release is that of the driver: 2, and 1 for the previous one.
	Release int
}

// Told is the bug in one line.
func (b Bug) Told() string {
	if b.Issue == "" {
		return b.Story
	}
	return b.Issue + ": " + b.Story
}

// Around puts the bug between the kubelet and a driver.
func (b Bug) Around(place Place, driver kubeletplugin.DRAPlugin) kubeletplugin.DRAPlugin {
	if b.around == nil {
		return driver
	}
	return b.around(place, driver)
}

// Process is how the bug shows beside calls for claims.
func (b Bug) Process() Process { return b.process }

// Inventory changes what is published.
func (b Bug) Inventory(p *spec.Profile) {
	if b.inventory != nil {
		b.inventory(p)
	}
}

// Find returns the bug of a name; none is a bug that breaks nothing. The error lists
// what there is.
func Find(name string) (Bug, error) {
	if name == "" {
		return Bug{}, nil
	}
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Bug{}, fmt.Errorf("bug %q is unknown: use one of %s", name, strings.Join(names, ", "))
}

// All lists the bugs in the order in which a claim meets them.
func All() []Bug {
	return slices.Concat(
		ofPublishing(), ofRegistering(), ofServing(), ofPreparing(), ofAnswering(), ofUnpreparing(), ofDevices(), ofKeeping(), ofReading(), ofConfiguring(), ofLife(),
	)
}

func ofPublishing() []Bug {
	return []Bug{
		{
			Name: "invalid-attribute", Issue: "kubernetes-sigs/dra-driver-cpu#217", Check: "sanity/devices-published",
			Story:     "An attribute has a name that the API server refuses, so that nothing is published.",
			inventory: invalidAttribute,
		},
		{
			Name: "too-many-devices", Issue: "containers/nri-plugins#802", Check: "sanity/devices-published",
			Story:     "More devices are put into one slice than the API server takes, and that is tried for ever.",
			inventory: tooManyDevices, process: Process{Undivided: true},
		},
		{
			Name: "publishes-once", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#330", Check: "sanity/slices-come-back",
			Story:   "Slices that a kubelet deletes when it starts are not published again.",
			process: Process{PublishesOnce: true},
		},
	}
}

func ofRegistering() []Bug {
	return []Bug{
		{
			Name: "hard-coded-root", Issue: "kubernetes-sigs/dranet#251", Check: "sanity/registered",
			Story:   "The kubelet is told of a socket in /var/lib/kubelet, although its root directory is another one.",
			process: Process{getInfo: hardCodedRoot},
		},
		{
			Name: "registers-once", Issue: "kubernetes-sigs/dranet#19", Check: "sanity/registers-again",
			Story:   "A process that takes over from another one does not register, until the kubelet is restarted.",
			process: Process{getInfo: registersOnce()},
		},
		{
			Name: "sockets-left", Issue: "kubernetes/kubernetes#132660", Check: "sanity/sockets-removed",
			Story:   "Each process leaves its sockets, with names of their own, at which the kubelet then calls for ever.",
			process: Process{LeavesSockets: true},
		},
	}
}

func ofKeeping() []Bug {
	return []Bug{
		{
			Name: "orphans-stay", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1278", Check: "sanity/deleted-while-away",
			Story:  "A claim that was deleted while the driver was away stays prepared, and nobody else gets its device.",
			around: orphansStay,
		},
		{
			Name: "checkpoint-of-one-release", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1066", Check: "sanity/prepared-over-upgrade",
			Cases:  []string{"life/upgraded", "life/downgraded"},
			Story:  "The checkpoint of the previous release cannot be read, nor this one's after a downgrade.",
			around: checkpointOfOneRelease,
		},
		{
			Name: "panics-on-damage", Issue: "kubernetes-sigs/dra-example-driver#240", Check: "sanity/checkpoint-damaged",
			Story:  "Unprepare panics when the checkpoint is damaged.",
			around: panicsOnDamage,
		},
		{
			Name: "stale-cdi-cache", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1144", Check: "sanity/base-specs-lost",
			Story:  "CDI files that serve all claims are believed to be there, after they have been replaced below the driver.",
			around: staleCDICache,
		},
		{
			Name: "lost-with-container", Issue: "kubernetes-sigs/dra-driver-cpu#235", Check: "sanity/devices-stay",
			Story:  "What a claim needs is kept only for the first start of its container.",
			around: lostWithContainer,
		},
	}
}

func ofPreparing() []Bug {
	return []Bug{
		{
			Name: "restored-prepare", Issue: "kubernetes/kubernetes#141433", Check: "sanity/restored-prepare",
			Story:  "A claim that is known as prepared is answered from memory, although its CDI spec is gone.",
			around: restoredPrepare,
		},
		{
			Name: "reboot-taken-for-restart", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#951", Check: "sanity/restored-after-restart",
			Cases:  []string{"life/node-rebooted", "life/rebooted"},
			Story:  "After a reboot the driver believes its checkpoint, and does not make again what the reboot has removed.",
			around: rebootTakenForRestart,
		},
		{
			Name: "repeated-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#729", Check: "sanity/prepare-repeated",
			Cases:  []string{"life/calls-twice"},
			Story:  "A second prepare takes a claim from prepared back to half-prepared.",
			around: repeatedPrepare,
		},
		{
			Name: "state-before-cdi", Issue: "kubernetes-sigs/dra-driver-cpu#169", Check: "sanity/cdi-write-fails",
			Story:  "A claim is remembered as prepared before its CDI spec is written, and stays so when that fails.",
			around: stateBeforeCDI,
		},
		{
			Name: "no-device-nodes", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1380", Check: "sanity/cdi-devices-resolve",
			Story:  "Prepare succeeds while the device nodes do not exist yet, with CDI devices that have no content.",
			around: noDeviceNodes,
		},
		{
			Name: "share-id-missing", Issue: "kubernetes/kubernetes#134519", Check: "sanity/shares",
			Story:  "CDI names do not have the share in them, so that those of two claims for one device collide.",
			around: shareIDMissing,
		},
		{
			Name: "half-prepared", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#840", Check: "sanity/failed-prepare",
			Story:  "A claim whose preparation failed stays half-prepared, unprepare does nothing for it, and its devices are taken.",
			around: halfPrepared,
		},
		{
			Name: "no-roll-back", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1255", Check: "sanity/failed-prepare",
			Story:  "When the second of two devices fails, the first one stays as it was made, and nobody undoes it.",
			around: noRollBack,
		},
	}
}

func ofUnpreparing() []Bug {
	return []Bug{
		{
			Name: "unprepare-needs-claim", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#340", Check: "sanity/unprepare-deleted-claim",
			Cases:  []string{"life/claim-deleted-without-driver"},
			Story:  "Unprepare reads the claim, and fails for ever when that has been deleted.",
			around: unprepareNeedsClaim,
		},
		{
			Name: "stale-prepare", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1162", Check: "sanity/cancelled-prepare",
			Story:  "A prepare that the kubelet has given up goes on after the claim has been unprepared, and wins.",
			around: stalePrepare,
		},
		{
			Name: "new-prepare-first", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#641", Check: "sanity/old-unprepare-spares-new",
			Story:  "The prepare of a new claim comes before the unprepare of the old one, which then takes the device away.",
			around: newPrepareFirst,
		},
		{
			Name: "forgets-on-restart", Issue: "kubernetes-sigs/dranet#89", Check: "sanity/unprepare-after-restart",
			Cases:  []string{"life/driver-killed", "life/driver-replaced", "life/pod-ends-without-driver"},
			Story:  "What was prepared is only in memory: the driver knows nothing of it after a restart.",
			around: forgetsOnRestart,
		},
		{
			Name: "start-up-pruning", Issue: "kubernetes-sigs/dranet#232", Check: "sanity/prepared-over-restart",
			Story:  "When the driver starts, it removes what belongs to claims that it does not know yet.",
			around: startUpPruning,
		},
	}
}

// ofLife are those of a driver as it is deployed.
func ofLife() []Bug {
	return []Bug{
		{
			Name: "names-change", Issue: "ROCm/k8s-gpu-dra-driver#83", Cases: []string{"life/published-again"},
			Story:     "Devices have other names in each process, so that a claim is for another device after a restart.",
			inventory: namesChange,
		},
		{
			Name: "last-device-missing", Issue: "containers/nri-plugins#802", Cases: []string{"life/inventory"},
			Story:     "What does not go into the slice is left out, and nobody is told.",
			inventory: lastDeviceMissing,
		},
		{
			Name: "one-socket", Issue: "kubernetes-sigs/dra-example-driver#113", Cases: []string{"life/rolling-updated"},
			Story:   "Two processes that run side by side have one name for their sockets, and the one that ends removes the other's.",
			process: Process{OneSocket: true},
		},
		{
			Name: "slices-removed", Issue: "kubernetes/kubernetes#128964", Cases: []string{"life/rolling-updated"},
			Story:   "A process that ends removes the slices, which the next one has published already.",
			process: Process{RemovesSlices: true},
		},
		{
			Name: "reads-once", Cases: []string{"life/update-undone"},
			Story:  "A process reads what is prepared when it starts, and knows nothing of what another one prepares beside it.",
			around: readsOnce,
		},
		{
			Name: "stays-unhealthy", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#878", Cases: []string{"life/device-unhealthy", "life/device-tainted"},
			Story:   "A device that was healed is told to be unhealthy until the driver is restarted.",
			process: Process{StaysUnhealthy: true},
		},
		{
			Name: "specs-stay", Issue: "ROCm/container-toolkit#18", Cases: []string{"life/uninstalled"},
			Story:  "A CDI file that is there for all claims stays when the driver is uninstalled.",
			around: specsStay,
		},
	}
}

func ofReading() []Bug {
	return []Bug{
		{
			Name: "other-drivers-results", Issue: "kubernetes-sigs/dra-driver-nvidia-gpu#1371", Check: "sanity/other-drivers-results",
			Story:  "Devices that another driver has to prepare are taken for own ones.",
			around: otherDriversResults,
		},
		{
			Name: "subrequest-config", Issue: "kubernetes-sigs/dra-example-driver#257", Check: "sanity/config-for-subrequest",
			Story:  "The configuration of a request is not used for the alternative of it that was chosen.",
			around: subrequestConfig,
		},
		{
			Name: "config-requests-required", Issue: "kubernetes-sigs/dra-driver-cpu#269", Check: "sanity/config-for-all-requests",
			Story:  "A configuration that names no requests, and so is for all, is refused.",
			around: configRequestsRequired,
		},
	}
}
