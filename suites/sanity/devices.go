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

package sanity

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/pools"
)

// Device is a device available for claims.
type Device struct {
	Pool, Name string
	// part: the device consumes shared counters.
	part bool
	// Capacity is the capacity of one share of a shareable device; nil otherwise.
	Capacity map[resourceapi.QualifiedName]resource.Quantity
	// Total is the capacity of the whole device.
	Total map[resourceapi.QualifiedName]resource.Quantity
}

// Devices returns n free devices of the driver, independent of each other; whole ones first, then
// partitions, then shares. If the driver publishes fewer, the check is not applicable. If some are
// in use, or broken since an earlier failed check, it is blocked.
func (t *T) Devices(n int) []Device {
	return t.unspoiled(n, "", func(Device) bool { return true })
}

// Exclusive is Devices without shares.
func (t *T) Exclusive(n int) []Device {
	return t.unspoiled(n, "not shared ", func(d Device) bool { return d.Capacity == nil })
}

// SharedDevice returns a device with multiple allocations allowed.
func (t *T) SharedDevice() Device {
	return t.unspoiled(1, "shared by claims (allowMultipleAllocations) ", func(d Device) bool { return d.Capacity != nil })[0]
}

// Namesakes returns two free devices of the same name in different pools.
func (t *T) Namesakes() (one, other Device) {
	good, kept := t.free(func(d Device) bool { return d.Capacity == nil })
	for i, one := range good {
		for _, other := range good[i+1:] {
			if one.Name == other.Name {
				return one, other
			}
		}
	}
	why := "needs devices of the same name in two pools, and the driver has none on this node"
	if len(kept) > 0 {
		why += " that are free: " + first(kept, 3)
	}
	t.NotApplicablef("%s", why)
	return one, other
}

func (t *T) unspoiled(n int, kind string, is func(Device) bool) []Device {
	good, kept := t.free(is)
	switch {
	case len(good) >= n:
	case len(good)+len(kept) >= n:
		t.Blockedf("needs %d %sdevices, and only %d are available: %s", n, kind, len(good), first(kept, 3))
	default:
		t.NotApplicablef("needs %d %sdevices, the driver has %d on this node", n, kind, len(good)+len(kept))
	}
	return good[:n]
}

// free returns the usable devices, and why others cannot be used.
func (t *T) free(is func(Device) bool) (good []Device, kept []string) {
	t.awaitDevices()
	all, err := t.candidates(t.ctx)
	t.need(err, "look for free devices")
	for _, c := range all {
		by, bad := t.withheld[pools.ID{Pool: c.Pool, Device: c.Name}]
		switch {
		case !is(c.Device):
		case bad:
			kept = append(kept, fmt.Sprintf("device %s of pool %s can no longer be prepared since %s failed", c.Name, c.Pool, by))
		case c.kept != "":
			kept = append(kept, fmt.Sprintf("device %s of pool %s %s", c.Name, c.Pool, c.kept))
		default:
			good = append(good, c.Device)
		}
	}
	return good, kept
}

// first joins the first n messages and adds the number of the others.
func first(all []string, n int) string {
	if len(all) <= n {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:n], "; "), len(all)-n)
}

// awaitDevices waits, once per run, until the driver has published devices, as it may just have
// started.
func (t *T) awaitDevices() {
	some, complete, err := t.look(t.ctx)
	if (!some || !complete) && !t.awaited {
		t.awaited = true
		t.await(func(ctx context.Context) bool {
			some, complete, err := t.look(ctx)
			return some && complete && err == nil
		})
		some, _, err = t.look(t.ctx)
	}
	t.need(err, "look for devices")
	if !some {
		t.Blockedf("driver %s has published no device for node %s", t.Driver, t.Node)
	}
}

// look reports whether the driver has published a device, and whether its pools are complete.
func (w *world) look(ctx context.Context) (some, complete bool, err error) {
	published, err := w.published(ctx)
	complete = true
	for _, p := range pools.Of(w.Driver, published) {
		some = some || len(p.Devices()) > 0
		complete = complete && p.Problem() == ""
	}
	return some, complete, err
}

// withhold tries the devices of a failed check. Devices unusable for a new claim are withheld from
// later checks, to avoid follow-up failures.
func (t *T) withhold(check string, devices []Device) {
	for _, d := range devices {
		claim := t.One(d)
		_, err := t.prepareOne(t.ctx, claim)
		if err == nil {
			err = t.unprepareOne(t.ctx, claim)
		}
		if err != nil {
			t.withheld[pools.ID{Pool: d.Pool, Device: d.Name}] = check
		}
		t.Delete(claim)
	}
}

// published returns the driver's slices for the node, or else those for all nodes.
func (w *world) published(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	all, err := w.listed(ctx)
	var local, everywhere []resourceapi.ResourceSlice
	for _, s := range all {
		switch {
		case ptr.Deref(s.Spec.NodeName, "") == w.Node:
			local = append(local, s)
		case ptr.Deref(s.Spec.AllNodes, false):
			everywhere = append(everywhere, s)
		}
	}
	if len(local) == 0 {
		return everywhere, err
	}
	return local, err
}

// listed returns all slices of the driver.
func (w *world) listed(ctx context.Context) ([]resourceapi.ResourceSlice, error) {
	selector := fields.Set{resourceapi.ResourceSliceSelectorDriver: w.Driver}
	list, err := w.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: selector.String()})
	if err != nil {
		return nil, fmt.Errorf("list resource slices: %w", err)
	}
	return list.Items, nil
}

func (w *world) candidates(ctx context.Context) ([]candidate, error) {
	published, err := w.published(ctx)
	if err != nil {
		return nil, err
	}
	claims, err := w.Client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list claims: %w", err)
	}
	return candidates(pools.Devices(w.Driver, published, claims.Items)), nil
}

// candidate is a device usable in checks, unless kept has a reason against it.
type candidate struct {
	Device

	kept string
}

// candidates returns the devices without binding conditions: whole ones, then partitions, then shared
// ones. Of partitions using the same counters only the first is returned, so that all fit together.
func candidates(devices []pools.Device) []candidate {
	var found []candidate
	held, chosen := map[counterSet]string{}, map[counterSet]bool{}
	for _, d := range devices {
		if strings.HasPrefix(d.Kept, pools.Held) {
			for _, set := range setsOf(d) {
				held[set] = d.Name
			}
		}
	}
	for _, d := range devices {
		if len(d.BindingConditions) > 0 {
			continue
		}
		c := candidate{Device: Device{Pool: d.Pool, Name: d.Name, part: len(d.ConsumesCounters) > 0}, kept: d.Kept}
		if ptr.Deref(d.AllowMultipleAllocations, false) {
			c.Capacity, c.Total = share(d.Device), total(d.Device)
		}
		sets := setsOf(d)
		if slices.ContainsFunc(sets, func(s counterSet) bool { return chosen[s] }) {
			continue
		}
		for _, set := range sets {
			if by := held[set]; by != "" && c.kept == "" {
				c.kept = "shares counters with device " + by + ", which is in use"
			}
			chosen[set] = c.kept == ""
		}
		found = append(found, c)
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.rank(), b.rank()) })
	return found
}

// rank orders devices by how little their use depends on other devices.
func (d Device) rank() int {
	switch {
	case d.Capacity != nil:
		return 2
	case d.part:
		return 1
	default:
		return 0
	}
}

// counterSet are the shared counters of a device that is divided into partitions.
type counterSet struct{ pool, name string }

func setsOf(d pools.Device) (sets []counterSet) {
	for _, c := range d.ConsumesCounters {
		sets = append(sets, counterSet{d.Pool, c.CounterSet})
	}
	return sets
}

// share returns the capacity consumed by a claim without capacity requests.
func share(d resourceapi.Device) map[resourceapi.QualifiedName]resource.Quantity {
	taken := map[resourceapi.QualifiedName]resource.Quantity{}
	for name, capacity := range d.Capacity {
		taken[name] = capacity.Value
		if capacity.RequestPolicy != nil && capacity.RequestPolicy.Default != nil {
			taken[name] = *capacity.RequestPolicy.Default
		}
	}
	return taken
}

func total(d resourceapi.Device) map[resourceapi.QualifiedName]resource.Quantity {
	all := map[resourceapi.QualifiedName]resource.Quantity{}
	for name, capacity := range d.Capacity {
		all[name] = capacity.Value
	}
	return all
}
