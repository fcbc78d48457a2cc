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

package inventory

import (
	"maps"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Inventory is all published devices at one moment. It is immutable and safe for
// concurrent use; With makes the next one and shares with it all that has not
// changed.
type Inventory struct {
	features Features
	// lineage is shared by all inventories that came from one New.
	lineage *lineage
	// version is different for each of them.
	version uint64

	published map[*resourceapi.ResourceSlice]listed
	pools     map[PoolID]*poolSlices
	// local are the slices that only one node can reach, by its name; shared are
	// all others. Hidden slices are in neither.
	local  map[string]*sliceList
	shared *sliceList
}

// lineage is what inventories remember together.
type lineage struct {
	contents *interner
	views    *viewTable
	versions atomic.Uint64
}

// listed is a slice of an inventory with its number, from 0 to the number of slices.
type listed struct {
	*publishedSlice
	number int
}

// New returns an inventory without devices.
func New(features Features) *Inventory {
	inv := &Inventory{
		features: features,
		lineage:  &lineage{contents: newInterner(), views: newViewTable()},
		shared:   &sliceList{},
	}
	inv.version = inv.lineage.versions.Add(1)
	return inv
}

// With returns the inventory of exactly these slices, in any order, with the
// taints of DeviceTaintRules applied already. A slice with the same address as
// before counts as unchanged; if all are unchanged the receiver is returned.
// Cost is one map look-up for each unchanged slice plus work for changed ones.
// Slices must not be modified afterwards.
func (inv *Inventory) With(slices []*resourceapi.ResourceSlice) *Inventory {
	kept := make(numbers, len(inv.published)/64+1)
	keptCount := 0
	var added []*resourceapi.ResourceSlice
	for _, slice := range slices {
		known, found := inv.published[slice]
		if !found {
			added = append(added, slice)
		} else if kept.add(known.number) {
			keptCount++
		}
	}
	if len(added) == 0 && keptCount == len(inv.published) {
		return inv
	}
	return inv.next(kept, keptCount, added)
}

// Node returns what a node can reach. The result is remembered until a slice that
// matters to the node changes, or the node's name or labels do. The error says
// which slice or device has a node selector that cannot be parsed; the node cannot
// be used then. The node must not be modified afterwards.
func (inv *Inventory) Node(node *corev1.Node) (*Node, error) {
	views := inv.lineage.views
	if v := views.get(node.Name); v != nil {
		if v = v.forNode(node, views); v != nil && v.isOf(inv, node.Name) {
			return v.result, v.err
		}
	}
	v := newView(inv, node)
	views.put(node, v)
	return v.result, v.err
}

// next makes an inventory of the slices that are kept and those that are added.
func (inv *Inventory) next(kept numbers, keptCount int, added []*resourceapi.ResourceSlice) *Inventory {
	next := &Inventory{
		features:  inv.features,
		lineage:   inv.lineage,
		version:   inv.lineage.versions.Add(1),
		published: make(map[*resourceapi.ResourceSlice]listed, keptCount+len(added)),
	}
	changes := newChanges()
	for slice, known := range inv.published {
		if kept.has(known.number) {
			next.list(slice, known.publishedSlice)
		} else {
			changes.remove(known.publishedSlice)
		}
	}
	for _, slice := range added {
		if _, found := next.published[slice]; found {
			continue
		}
		published := newPublishedSlice(slice, inv.features, inv.lineage.contents)
		next.list(slice, published)
		changes.add(published)
	}

	next.pools = maps.Clone(inv.pools)
	if next.pools == nil {
		next.pools = make(map[PoolID]*poolSlices)
	}
	for id, edit := range changes.pools {
		var before []*publishedSlice
		if pool := inv.pools[id]; pool != nil {
			before = pool.slices
		}
		if after := edit.apply(before); len(after) > 0 {
			next.pools[id] = newPoolSlices(id, after, inv.features)
		} else {
			delete(next.pools, id)
		}
	}
	next.shared = inv.shared
	if changes.shared.any() {
		next.shared = &sliceList{slices: changes.shared.apply(inv.shared.slices)}
	}
	next.local = inv.nextLocal(changes.local)
	return next
}

func (inv *Inventory) nextLocal(changes map[string]*edit) map[string]*sliceList {
	if len(changes) == 0 {
		return inv.local
	}
	local := maps.Clone(inv.local)
	if local == nil {
		local = make(map[string]*sliceList)
	}
	for name, edit := range changes {
		var before []*publishedSlice
		if list := inv.local[name]; list != nil {
			before = list.slices
		}
		if after := edit.apply(before); len(after) > 0 {
			local[name] = &sliceList{slices: after}
		} else {
			delete(local, name)
			// Perhaps the node is not asked for any more, having no devices.
			inv.lineage.views.drop(name)
		}
	}
	return local
}

func (inv *Inventory) list(slice *resourceapi.ResourceSlice, published *publishedSlice) {
	inv.published[slice] = listed{publishedSlice: published, number: len(inv.published)}
}

// numbers is a set of small numbers.
type numbers []uint64

func (n numbers) has(i int) bool { return n[i/64]&(1<<(i%64)) != 0 }

// add says whether the number is new.
func (n numbers) add(i int) bool {
	if n.has(i) {
		return false
	}
	n[i/64] |= 1 << (i % 64)
	return true
}
