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
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/audit"
	"github.com/dra-conformance/dratest/framework/follow"
	"github.com/dra-conformance/dratest/framework/harness"
	"github.com/dra-conformance/dratest/framework/spec"
)

// lag is how far the slices of the monitor and of a scheduler may be apart, and settle the time until the monitor has
// those of an allocation.
const (
	lag    = 10 * time.Second
	settle = 2 * time.Second
)

// allocations judges each allocation by the claims at the moment when it was made.
type allocations struct {
	// users are the allocated claims by driver.
	users map[string]map[types.UID]*resourceapi.ResourceClaim
	last  map[types.UID]*resourceapi.ResourceClaim
	made  []made
	began bool
}

// made is an allocation to be judged by the devices, once they are known.
type made struct {
	at    time.Time
	claim *resourceapi.ResourceClaim
	users map[string][]resourceapi.ResourceClaim
}

func newAllocations() allocations {
	return allocations{users: map[string]map[types.UID]*resourceapi.ResourceClaim{}, last: map[types.UID]*resourceapi.ResourceClaim{}}
}

// see takes a state of the claims, and judges what needs no devices. Allocations of the first state are older.
func (a *allocations) see(s follow.State[*resourceapi.ResourceClaim], now time.Time) []observation {
	changed := []*resourceapi.ResourceClaim{s.Changed}
	if s.Changed == nil {
		changed = slices.SortedFunc(maps.Values(s.Objects), func(x, y *resourceapi.ResourceClaim) int { return strings.Compare(string(x.UID), string(y.UID)) })
		for uid, claim := range a.last {
			if s.Objects[uid] == nil {
				changed = append(changed, claim)
			}
		}
	}
	var fresh []*resourceapi.ResourceClaim
	for _, claim := range changed {
		was := a.last[claim.UID]
		a.forget(was)
		if s.Objects[claim.UID] == nil {
			continue
		}
		a.keep(claim)
		if claim.Status.Allocation != nil && (was == nil || !equality.Semantic.DeepEqual(was.Status.Allocation, claim.Status.Allocation)) {
			fresh = append(fresh, claim)
		}
	}
	if !a.began {
		a.began = true
		return nil
	}
	var all []observation
	for _, claim := range fresh {
		m := made{now, claim, map[string][]resourceapi.ResourceClaim{}}
		for _, driver := range driversOf(claim) {
			m.users[driver] = a.of(driver)
			all = append(all, m.judge(driver, nil, audit.DoubleAllocated, audit.WholeAndShared, audit.ShareIDReused)...)
		}
		a.made = append(a.made, m)
	}
	return all
}

func (a *allocations) keep(claim *resourceapi.ResourceClaim) {
	a.last[claim.UID] = claim
	for _, driver := range driversOf(claim) {
		if a.users[driver] == nil {
			a.users[driver] = map[types.UID]*resourceapi.ResourceClaim{}
		}
		a.users[driver][claim.UID] = claim
	}
}

func (a *allocations) forget(claim *resourceapi.ResourceClaim) {
	if claim == nil {
		return
	}
	delete(a.last, claim.UID)
	for _, driver := range driversOf(claim) {
		delete(a.users[driver], claim.UID)
		if len(a.users[driver]) == 0 {
			delete(a.users, driver)
		}
	}
}

// of are the claims with devices of a driver.
func (a *allocations) of(driver string) []resourceapi.ResourceClaim {
	var all []resourceapi.ResourceClaim
	for _, claim := range a.users[driver] {
		all = append(all, *claim)
	}
	return all
}

// late judges allocations by the devices, once those are known. A rule must be broken with all versions of the slices
// that the scheduler may have had.
func (a *allocations) late(p pools, now time.Time) []observation {
	var all []observation
	a.made = slices.DeleteFunc(a.made, func(m made) bool {
		if now.Sub(m.at) < settle {
			return false
		}
		for _, driver := range driversOf(m.claim) {
			if !m.shares(driver) && !p.counted(driver) {
				continue
			}
			var broken []observation
			for i, published := range p.between(driver, m.claim, m.at.Add(-lag)) {
				found := m.judge(driver, published, audit.NotShareable, audit.CapacityExceeded, audit.CounterNegative)
				if i == 0 {
					broken = found
				}
				broken = slices.DeleteFunc(broken, func(o observation) bool {
					return !slices.ContainsFunc(found, func(f observation) bool { return f.rule == o.rule && f.about == o.about })
				})
			}
			all = append(all, broken...)
		}
		return true
	})
	return all
}

// shares reports whether the claim has shares of a driver's devices.
func (m made) shares(driver string) bool {
	return slices.ContainsFunc(m.claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return r.Driver == driver && r.ShareID != nil
	})
}

// judge returns the violations of rules by the allocation.
func (m made) judge(driver string, published []resourceapi.ResourceSlice, rules ...audit.Rule) []observation {
	var all []observation
	for _, v := range audit.Devices(m.users[driver], published) {
		if !slices.Contains(rules, v.Rule) || !slices.ContainsFunc(v.Evidence, func(o audit.Object) bool { return o.GetUID() == m.claim.UID }) {
			continue
		}
		all = append(all, observation{
			rule: spec.FindingRule(v.Rule), about: v.Subject, text: v.Text, objects: names(v.Evidence),
			ours: ours(m.claim.Namespace), driver: driver, namespace: m.claim.Namespace, byHand: byHand(m.claim, "f:allocation"),
		})
	}
	return all
}

func names(objects []audit.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, "resourceclaims/"+o.GetNamespace()+"/"+o.GetName())
	}
	slices.Sort(all)
	return all
}

func driversOf(claim *resourceapi.ResourceClaim) []string {
	if claim.Status.Allocation == nil {
		return nil
	}
	var all []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		all = append(all, r.Driver)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ours reports whether a namespace is a case's.
func ours(namespace string) bool {
	return strings.HasPrefix(namespace, harness.NamespacePrefix) && namespace != spec.SystemNamespace
}

// byHand reports whether dratest itself, not a component, wrote a field of an object.
func byHand(o metav1.Object, field string) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool {
		return f.Manager == spec.ManagedBy && f.FieldsV1 != nil && strings.Contains(f.FieldsV1.GetRawString(), `"`+field+`"`)
	})
}
