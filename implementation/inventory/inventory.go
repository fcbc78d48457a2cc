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

// Inventory is a snapshot of all published devices. It is immutable and safe for concurrent use. With
// creates its successor and shares unchanged parts.
type Inventory struct {
	features Features
	// lineage is shared by all inventories from one New.
	lineage *lineage
	// version is unique within the lineage.
	version uint64

	published map[*resourceapi.ResourceSlice]listed
	pools     map[PoolID]*poolSlices
	// local are the slices reachable from a single node, by node name; shared are all others. Hidden
	// slices are in neither.
	local  map[string]*sliceList
	shared *sliceList
}

// lineage is the memory shared by inventories.
type lineage struct {
	contents *interner
	views    *viewTable
	versions atomic.Uint64
}

// listed is a slice of an inventory and its number, below the number of slices.
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

// With returns the inventory of exactly these slices, in any order, with the taints of
// DeviceTaintRules already applied. A slice at the same address counts as unchanged; if all are
// unchanged, With returns the receiver. The cost is one map lookup per unchanged slice, plus work for
// changed ones. Slices must not be modified afterwards.
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

// Node returns the view of a node. It is cached until a relevant slice or the node's name or labels
// change. The error names a slice or device with an unparsable node selector; the node is unusable
// then. The node must not be modified afterwards.
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

// next creates an inventory from kept and added slices.
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
			// A node without devices may never be queried again.
			inv.lineage.views.drop(name)
		}
	}
	return local
}

func (inv *Inventory) list(slice *resourceapi.ResourceSlice, published *publishedSlice) {
	inv.published[slice] = listed{publishedSlice: published, number: len(inv.published)}
}

type numbers []uint64

func (n numbers) has(i int) bool { return n[i/64]&(1<<(i%64)) != 0 }

// add returns true if the number is new.
func (n numbers) add(i int) bool {
	if n.has(i) {
		return false
	}
	n[i/64] |= 1 << (i % 64)
	return true
}
