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

package monitor

import (
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/follow"
	dra "github.com/dra-conformance/dratest/framework/pools"
	"github.com/dra-conformance/dratest/framework/spec"
)

// patience is how long a pool may be incomplete.
const patience = time.Minute

// pools are the slices of all drivers.
type pools struct {
	// versions are the states of each driver's slices, oldest first: the newest, and those of the last lag.
	versions map[string][]version
	// since is when a pool became incomplete.
	since map[poolID]time.Time
}

type poolID struct{ driver, pool string }

// version is a state of a driver's slices.
type version struct {
	until  time.Time // zero for the newest
	slices []resourceapi.ResourceSlice
}

func newPools() pools {
	return pools{versions: map[string][]version{}, since: map[poolID]time.Time{}}
}

func (p *pools) see(s follow.State[*resourceapi.ResourceSlice], now time.Time) {
	byDriver := map[string][]resourceapi.ResourceSlice{}
	for _, slice := range s.Objects {
		if s.Changed == nil || s.Changed.Spec.Driver == slice.Spec.Driver {
			byDriver[slice.Spec.Driver] = append(byDriver[slice.Spec.Driver], *slice)
		}
	}
	drivers := []string{}
	if s.Changed != nil {
		drivers = append(drivers, s.Changed.Spec.Driver)
	} else {
		for driver := range p.versions {
			drivers = append(drivers, driver)
		}
		for driver := range byDriver {
			drivers = append(drivers, driver)
		}
	}
	for _, driver := range drivers {
		p.replace(driver, byDriver[driver], now)
	}
}

func (p *pools) replace(driver string, published []resourceapi.ResourceSlice, now time.Time) {
	all := p.versions[driver]
	if n := len(all); n > 0 {
		all[n-1].until = now
	}
	all = slices.DeleteFunc(all, func(v version) bool { return now.Sub(v.until) > lag+2*settle })
	p.versions[driver] = append(all, version{slices: published})
	if len(published) == 0 && len(all) == 0 {
		delete(p.versions, driver)
	}
	for id := range p.since {
		if id.driver == driver && !slices.ContainsFunc(dra.Of(driver, published), func(pool dra.Pool) bool { return pool.Name == id.pool && pool.Problem() != "" }) {
			delete(p.since, id)
		}
	}
	for _, pool := range dra.Of(driver, published) {
		id := poolID{driver, pool.Name}
		if _, known := p.since[id]; !known && pool.Problem() != "" {
			p.since[id] = now
		}
	}
}

// counted reports whether devices of a driver consume counters, or did until just now.
func (p *pools) counted(driver string) bool {
	for _, v := range p.versions[driver] {
		for i := range v.slices {
			devices := v.slices[i].Spec.Devices
			for j := range devices {
				if len(devices[j].ConsumesCounters) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// between returns the versions of a driver's slices since a moment in which all devices of a claim are in complete
// pools.
func (p *pools) between(driver string, claim *resourceapi.ResourceClaim, since time.Time) [][]resourceapi.ResourceSlice {
	var all [][]resourceapi.ResourceSlice
	for _, v := range p.versions[driver] {
		if v.until.IsZero() || v.until.After(since) {
			if known(driver, v.slices, claim) {
				all = append(all, v.slices)
			}
		}
	}
	return all
}

func known(driver string, published []resourceapi.ResourceSlice, claim *resourceapi.ResourceClaim) bool {
	there := map[dra.ID]bool{}
	for _, pool := range dra.Of(driver, published) {
		if pool.Problem() != "" {
			continue
		}
		for _, d := range pool.Devices() {
			there[dra.ID{Pool: pool.Name, Device: d.Name}] = true
		}
	}
	return !slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return r.Driver == driver && !there[dra.ID{Pool: r.Pool, Device: r.Device}]
	})
}

// incomplete returns the pools that are incomplete for too long. Only those of the driver under test are a violation:
// cases have theirs incomplete on purpose.
func (p *pools) incomplete(underTest string, now time.Time) []observation {
	var all []observation
	for id, since := range p.since {
		if now.Sub(since) < patience {
			continue
		}
		versions := p.versions[id.driver]
		if len(versions) == 0 {
			continue
		}
		for _, pool := range dra.Of(id.driver, versions[len(versions)-1].slices) {
			if pool.Name != id.pool {
				continue
			}
			o := observation{
				rule: spec.PoolIncomplete, about: id.driver + "/" + id.pool, ours: id.driver == underTest, warning: id.driver != underTest,
				text: fmt.Sprintf("driver %s: %s, since %s", id.driver, pool.Problem(), since.UTC().Format(time.TimeOnly)),
			}
			for i := range pool.Slices {
				o.objects = append(o.objects, "resourceslices/"+pool.Slices[i].Name)
				o.byHand = o.byHand || byHand(&pool.Slices[i], "f:spec")
			}
			all = append(all, o)
		}
	}
	return all
}
