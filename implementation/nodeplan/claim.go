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

package nodeplan

import (
	"cmp"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// ClaimID names a claim. A later claim may have the same name with another UID.
type ClaimID struct{ Namespace, Name string }

// String returns "namespace/name".
func (id ClaimID) String() string { return id.Namespace + "/" + id.Name }

func compareIDs(a, b ClaimID) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// claim is the known state of a claim on this node.
type claim struct {
	id   ClaimID
	uid  types.UID
	pods sets.Set[types.UID]
	// work is the state by driver.
	work map[string]*work
	// devices are the allocated devices, nil for a claim from a checkpoint.
	devices []deviceID
	// used is set if the claim may be in use: all drivers prepared it once, for this kubelet or one
	// before a restart.
	used bool
	// closing is set when unpreparing has started. It cannot be reversed: the devices may be gone
	// already.
	closing bool
	// edition is incremented when its devices change, saved is the one in the checkpoint.
	edition, saved int
}

type deviceID struct{ driver, pool, device, share string }

// progress is a driver's progress with a claim.
type progress int

const (
	// untouched: the driver was never called, not even before a restart.
	untouched progress = iota
	// unsure: the driver may have prepared the claim.
	unsure
	prepared
	unprepared
)

// work is a driver's part of a claim.
type work struct {
	state    DriverState
	progress progress
	// busy means a call or a lookup is in progress.
	busy bool
	// err is why the last step failed. The next step waits for Retry.
	err error
	notFound
}

// skips reports whether the devices need no call of this kind.
func (w *work) skips(op Op) bool {
	return w.state.Skips(op.skippedAs())
}

// done reports whether the driver has nothing left to do. It need not unprepare a claim it never
// saw, unless that is its only part in the claim.
func (w *work) done(op Op) bool {
	if w.skips(op) {
		return true
	}
	if op == Prepare {
		return w.progress == prepared
	}
	return w.progress == unprepared || w.progress == untouched && !w.skips(Prepare)
}

// done reports whether all drivers are done.
func (c *claim) done(op Op) bool {
	for _, w := range c.work {
		if w.busy || !w.done(op) {
			return false
		}
	}
	return true
}

// close starts unpreparing. Earlier prepare results do not matter: a driver that once did not find
// a claim may have prepared it at another time.
func (c *claim) close() {
	if c.closing {
		return
	}
	c.closing = true
	for _, w := range c.work {
		w.err = nil
		if !w.busy {
			w.notFound = notFound{}
		}
	}
}

// drivers are sorted by name.
func (c *claim) drivers() []string { return slices.Sorted(maps.Keys(c.work)) }

// info is the checkpoint entry with these pods.
func (c *claim) info(pods sets.Set[types.UID]) ClaimInfo {
	info := ClaimInfo{
		ClaimUID:    c.uid,
		ClaimName:   c.id.Name,
		Namespace:   c.id.Namespace,
		PodUIDs:     sets.New[string](),
		DriverState: make(map[string]DriverState, len(c.work)),
	}
	for uid := range pods {
		info.PodUIDs.Insert(string(uid))
	}
	for driver, w := range c.work {
		info.DriverState[driver] = w.state
	}
	return info
}

// restored is a claim from a checkpoint: each of its drivers may have prepared it.
func restored(info ClaimInfo) *claim {
	c := &claim{
		id:   ClaimID{Namespace: info.Namespace, Name: info.ClaimName},
		uid:  info.ClaimUID,
		pods: sets.New[types.UID](),
		work: make(map[string]*work, len(info.DriverState)),
		used: true,
	}
	for uid := range info.PodUIDs {
		c.pods.Insert(types.UID(uid))
	}
	for driver, state := range info.DriverState {
		c.work[driver] = &work{state: state, progress: unsure}
	}
	return c
}

// allocated is a new claim on this node.
func allocated(from *resourceapi.ResourceClaim, drivers map[string]DriverState) *claim {
	c := &claim{
		id:      ClaimID{Namespace: from.Namespace, Name: from.Name},
		uid:     from.UID,
		pods:    sets.New[types.UID](),
		work:    make(map[string]*work, len(drivers)),
		devices: devicesOf(from),
	}
	for driver, state := range drivers {
		c.work[driver] = &work{state: state}
	}
	return c
}

func devicesOf(from *resourceapi.ResourceClaim) []deviceID {
	devices := make([]deviceID, 0, len(from.Status.Allocation.Devices.Results))
	for _, result := range from.Status.Allocation.Devices.Results {
		id := deviceID{driver: result.Driver, pool: result.Pool, device: result.Device}
		if result.ShareID != nil {
			id.share = string(*result.ShareID)
		}
		devices = append(devices, id)
	}
	return devices
}

// sameAllocation reports whether other is the same claim with the same devices, as far as known: a
// checkpoint only has the drivers.
func (c *claim) sameAllocation(other *claim) bool {
	return slices.Equal(c.drivers(), other.drivers()) &&
		(c.devices == nil || other.devices == nil || slices.Equal(c.devices, other.devices))
}
