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

package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

type use struct {
	claim  *resourceapi.ResourceClaim
	result *resourceapi.DeviceRequestAllocationResult
}

func (u use) shared() bool { return u.result.ShareID != nil }

// Devices checks the rules valid in every state of the claims: a single list, or the state of a watch. Slices must be
// of the same time, unless devices do not change.
func Devices(claims []resourceapi.ResourceClaim, published []resourceapi.ResourceSlice) []Violation {
	uses := map[deviceID][]use{}
	var found []Violation
	for i := range claims {
		claim := &claims[i]
		allocation := claim.Status.Allocation
		if allocation == nil {
			if len(claim.Status.ReservedFor) > 0 {
				found = append(found, About(ReservedUnallocated, claim, "is reserved for %s, but not allocated", consumers(claim)))
			}
			continue
		}
		for j := range allocation.Devices.Results {
			r := &allocation.Devices.Results[j]
			if !ptr.Deref(r.AdminAccess, false) {
				id := deviceID{r.Driver, r.Pool, r.Device}
				uses[id] = append(uses[id], use{claim, r})
			}
		}
	}
	inventory := newInventory(published)
	for _, id := range slices.SortedFunc(maps.Keys(uses), deviceID.compare) {
		found = append(found, checkDevice(id, uses[id], inventory)...)
	}
	return Sorted(append(found, checkCounters(uses, inventory)...))
}

func checkDevice(id deviceID, uses []use, in inventory) []Violation {
	var whole, shares []use
	for _, u := range uses {
		if u.shared() {
			shares = append(shares, u)
		} else {
			whole = append(whole, u)
		}
	}
	var found []Violation
	if len(whole) > 1 {
		found = append(found, onDevice(DoubleAllocated, id, whole, "is allocated whole to %s", users(whole)))
	}
	if len(whole) > 0 && len(shares) > 0 {
		found = append(found, onDevice(WholeAndShared, id, uses, "is allocated whole to %s and shared by %s", users(whole), users(shares)))
	}
	device, known := in.devices[id]
	if !known && !slices.ContainsFunc(uses, func(u use) bool { return len(u.result.BindingConditions) == 0 }) {
		return found // attached devices leave the pool (KEP-5007)
	}
	if !known {
		return append(found, onDevice(UnknownDevice, id, uses, "is allocated to %s, but in no current slice", users(uses)))
	}
	if len(shares) > 0 && !ptr.Deref(device.AllowMultipleAllocations, false) {
		found = append(found, onDevice(NotShareable, id, shares, "does not allow several allocations and is shared by %s", users(shares)))
	}
	return slices.Concat(found, checkShareIDs(id, shares), checkCapacity(id, device, shares))
}

func checkShareIDs(id deviceID, shares []use) []Violation {
	same := map[types.UID][]use{}
	for _, u := range shares {
		same[*u.result.ShareID] = append(same[*u.result.ShareID], u)
	}
	var found []Violation
	for share, uses := range same {
		if len(uses) > 1 {
			found = append(found, onDevice(ShareIDReused, id, uses, "has one share ID, %s, for %s", share, users(uses)))
		}
	}
	return found
}

func checkCapacity(id deviceID, device resourceapi.Device, shares []use) []Violation {
	var found []Violation
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		left := device.Capacity[name].Value.DeepCopy()
		var silent []use
		for _, u := range shares {
			amount, stated := consumed(u.result, name)
			if !stated {
				silent = append(silent, u)
			}
			left.Sub(amount)
		}
		if len(silent) > 0 {
			found = append(found, onCapacity(ConsumptionUnstated, id, name, silent, "has %s without a consumed capacity for %s", name, users(silent)))
		}
		if left.Sign() < 0 {
			found = append(found, onCapacity(CapacityExceeded, id, name, shares, "has %s of %s, and %s are left: %s", ptr.To(device.Capacity[name].Value).String(), name, left.String(), users(shares)))
		}
	}
	return found
}

// consumed returns how much of a capacity a share has. A driver's capacity has two names, with and without its domain; a
// share that states both has the amount once.
func consumed(r *resourceapi.DeviceRequestAllocationResult, name resourceapi.QualifiedName) (resource.Quantity, bool) {
	if amount, stated := r.ConsumedCapacity[name]; stated {
		return amount, true
	}
	domain := r.Driver + "/"
	other, qualified := strings.CutPrefix(string(name), domain)
	if !qualified {
		other = domain + other
	}
	amount, stated := r.ConsumedCapacity[resourceapi.QualifiedName(other)]
	return amount, stated
}

func onCapacity(rule Rule, id deviceID, name resourceapi.QualifiedName, uses []use, format string, args ...any) Violation {
	v := onDevice(rule, id, uses, format, args...)
	v.Subject += "/" + string(name)
	return v
}

// checkCounters subtracts each allocated device once, even if shared, from the counters of its pool. Those of an
// incomplete pool are unknown.
func checkCounters(uses map[deviceID][]use, in inventory) []Violation {
	left := map[counterID]int64{}
	consumers := map[counterID][]use{}
	for _, id := range slices.SortedFunc(maps.Keys(uses), deviceID.compare) {
		if !in.complete[poolID{id.driver, id.pool}] {
			continue
		}
		for _, c := range in.devices[id].ConsumesCounters {
			for name, amount := range c.Counters {
				counter := counterID{id.driver, id.pool, c.CounterSet, name}
				if _, begun := left[counter]; !begun {
					left[counter] = in.counters[counter]
				}
				left[counter] -= amount.Value.MilliValue()
				consumers[counter] = append(consumers[counter], uses[id]...)
			}
		}
	}
	var found []Violation
	for counter, rest := range left {
		if rest < 0 {
			found = append(found, Violation{
				Rule: CounterNegative, Subject: counter.String(), Evidence: evidence(consumers[counter]),
				Text: fmt.Sprintf("counter %s has %g of %g left: %s", counter, float64(rest)/1000, float64(in.counters[counter])/1000, users(consumers[counter])),
			})
		}
	}
	return found
}

func onDevice(rule Rule, id deviceID, uses []use, format string, args ...any) Violation {
	return Violation{Rule: rule, Subject: id.String(), Text: "device " + id.String() + " " + fmt.Sprintf(format, args...), Evidence: evidence(uses)}
}

// About returns a violation about a claim.
func About(rule Rule, claim *resourceapi.ResourceClaim, format string, args ...any) Violation {
	return Violation{Rule: rule, Text: "claim " + key(claim) + " " + fmt.Sprintf(format, args...), Evidence: []Object{claim}}
}

func evidence(uses []use) []Object {
	var objects []Object
	for _, u := range uses {
		if !slices.Contains(objects, Object(u.claim)) {
			objects = append(objects, u.claim)
		}
	}
	return objects
}

func users(uses []use) string {
	texts := make([]string, 0, len(uses))
	for _, u := range uses {
		text := fmt.Sprintf("claim %s (request %s", key(u.claim), u.result.Request)
		for _, name := range slices.Sorted(maps.Keys(u.result.ConsumedCapacity)) {
			text += fmt.Sprintf(", %s %s", name, ptr.To(u.result.ConsumedCapacity[name]).String())
		}
		texts = append(texts, text+")")
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

func consumers(claim *resourceapi.ResourceClaim) string {
	names := make([]string, 0, len(claim.Status.ReservedFor))
	for _, r := range claim.Status.ReservedFor {
		names = append(names, r.Resource+"/"+r.Name)
	}
	return strings.Join(names, ", ")
}

func key(o Object) string { return o.GetNamespace() + "/" + o.GetName() }

// deviceID is a device of the cluster.
type deviceID struct{ driver, pool, device string }

func (d deviceID) String() string { return d.driver + "/" + d.pool + "/" + d.device }

func (d deviceID) compare(o deviceID) int {
	return cmp.Or(cmp.Compare(d.driver, o.driver), cmp.Compare(d.pool, o.pool), cmp.Compare(d.device, o.device))
}
