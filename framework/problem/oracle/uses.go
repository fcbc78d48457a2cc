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

package oracle

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// use is an allocated device without admin access.
type use struct {
	claim  *resourceapi.ResourceClaim
	result *resourceapi.DeviceRequestAllocationResult
	// fresh reports whether it was allocated after the start of the problem.
	fresh bool
}

// exclusive reports whether the use excludes others.
func (w *world) exclusive(u use) bool {
	return u.result.ShareID == nil || w.off["ConsumableCapacity"]
}

// counter is one counter of a pool.
type counter struct {
	pool      poolID
	set, name string
}

// uses has the devices of all allocations.
type uses struct {
	w        *world
	byDevice map[deviceID][]use
	// order lists the devices by first use.
	order []deviceID
	// spent is the counter consumption of published devices.
	spent map[counter]resource.Quantity
	found []Violation
}

func (w *world) newUses() *uses {
	return &uses{w: w, byDevice: map[deviceID][]use{}, spent: map[counter]resource.Quantity{}}
}

// add counts the devices of a claim.
func (u *uses) add(claim *resourceapi.ResourceClaim, fresh bool) {
	if claim.Status.Allocation == nil {
		return
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		r := &results[i]
		if ptr.Deref(r.AdminAccess, false) {
			continue
		}
		id := idOf(r)
		if len(u.byDevice[id]) == 0 {
			u.order = append(u.order, id)
			u.spend(u.w.devices[id])
		}
		u.byDevice[id] = append(u.byDevice[id], use{claim, r, fresh})
	}
}

// spend adds a device's counters once, regardless of the number of shares (CounterSet).
func (u *uses) spend(d *device) {
	if d == nil || u.w.off["PartitionableDevices"] {
		return
	}
	for _, c := range consumed(d) {
		total := u.spent[c.counter]
		total.Add(c.amount)
		u.spent[c.counter] = total
	}
}

type amountOf struct {
	counter
	amount resource.Quantity
}

// consumed lists the counters of a device.
func consumed(d *device) []amountOf {
	var all []amountOf
	for _, set := range d.ConsumesCounters {
		for name, c := range set.Counters {
			all = append(all, amountOf{counter{d.id.poolID(), set.CounterSet, name}, c.Value})
		}
	}
	return all
}

// uncertain reports whether the remaining counters of a pool are unknown: an allocated device is no
// longer published, or a counter is overdrawn, as after a slice update.
func (u *uses) uncertain(p *pool, id poolID) bool {
	for used := range u.byDevice {
		if used.poolID() == id && u.w.devices[used] == nil {
			return true
		}
	}
	for c, spent := range u.spent {
		if has := p.counters[c.set][c.name].Value; c.pool == id && spent.Cmp(has) > 0 {
			return true
		}
	}
	return false
}

func (u *uses) judge() []Violation {
	for _, id := range u.order {
		for _, fresh := range u.byDevice[id] {
			if !fresh.fresh {
				continue
			}
			u.alone(id, fresh)
			if d := u.w.devices[id]; d != nil {
				u.withinCapacity(d, fresh)
				// Further shares of a device consume no more counters.
				if u.byDevice[id][0].fresh {
					u.withinCounters(d, fresh)
				}
			}
			break
		}
	}
	return u.found
}

func (u *uses) violated(p promise, by use, format string, args ...any) {
	u.found = append(u.found, Violation{Promise: p.id, Cites: p.cites, Object: claimName(by.claim), What: fmt.Sprintf(format, args...)})
}

// alone checks that only shared devices are used several times, each time with a unique share ID.
func (u *uses) alone(id deviceID, fresh use) {
	all := u.byDevice[id]
	d := u.w.devices[id]
	// Earlier uses are first.
	shareIDs := map[types.UID]bool{}
	for _, each := range all {
		if len(all) > 1 && (d == nil || !d.shared || u.w.exclusive(each)) {
			u.violated(notShared, fresh, "device %s is allocated %d times", id, len(all))
			return
		}
		if each.result.ShareID == nil {
			continue
		}
		if each.fresh && shareIDs[*each.result.ShareID] {
			u.violated(shareID, fresh, "share ID %s of device %s is used twice", *each.result.ShareID, id)
		}
		shareIDs[*each.result.ShareID] = true
	}
}

func (u *uses) withinCapacity(d *device, fresh use) {
	total := map[string]resource.Quantity{}
	added := map[string]bool{}
	for _, each := range u.byDevice[d.id] {
		for name, amount := range localAmounts(d.id.driver, each.result.ConsumedCapacity) {
			sum := total[name]
			sum.Add(amount)
			total[name] = sum
			added[name] = added[name] || each.fresh && amount.Sign() > 0
		}
	}
	for name, has := range d.capacity {
		if sum := total[name]; added[name] && sum.Cmp(has.Value) > 0 {
			u.violated(capacityLimit, fresh, "%s of capacity %s consumed of device %s, which has %s", sum.String(), name, d.id, has.Value.String())
		}
	}
}

func (u *uses) withinCounters(d *device, fresh use) {
	if u.w.off["PartitionableDevices"] {
		return
	}
	for _, c := range consumed(d) {
		has, spent := d.pool.counters[c.set][c.name].Value, u.spent[c.counter]
		if c.amount.Sign() > 0 && spent.Cmp(has) > 0 {
			u.violated(counterLimit, fresh, "%s of counter %s/%s of pool %s consumed, which has %s", spent.String(), c.set, c.name, c.pool.name, has.String())
		}
	}
}
