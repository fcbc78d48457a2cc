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
	"slices"
)

// changes are the slices added and removed between two inventories.
type changes struct {
	pools  map[PoolID]*edit
	local  map[string]*edit
	shared edit
}

func newChanges() *changes {
	return &changes{pools: make(map[PoolID]*edit), local: make(map[string]*edit)}
}

func (c *changes) add(slice *publishedSlice) {
	for _, edit := range c.edits(slice) {
		edit.added = append(edit.added, slice)
	}
}

func (c *changes) remove(slice *publishedSlice) {
	for _, edit := range c.edits(slice) {
		edit.removed = append(edit.removed, slice)
	}
}

// edits returns the edits of the lists containing the slice.
func (c *changes) edits(slice *publishedSlice) []*edit {
	pool := entry(c.pools, slice.pool)
	switch {
	case slice.hidden:
		return []*edit{pool}
	case slice.localTo() != "":
		return []*edit{pool, entry(c.local, slice.localTo())}
	default:
		return []*edit{pool, &c.shared}
	}
}

func entry[K comparable](edits map[K]*edit, key K) *edit {
	if edits[key] == nil {
		edits[key] = &edit{}
	}
	return edits[key]
}

type edit struct {
	added, removed []*publishedSlice
}

func (e *edit) any() bool { return len(e.added)+len(e.removed) > 0 }

// apply returns a sorted, changed copy of the list.
func (e *edit) apply(before []*publishedSlice) []*publishedSlice {
	removed := make(map[*publishedSlice]bool, len(e.removed))
	for _, slice := range e.removed {
		removed[slice] = true
	}
	after := make([]*publishedSlice, 0, len(before)+len(e.added))
	for _, slice := range before {
		if !removed[slice] {
			after = append(after, slice)
		}
	}
	after = append(after, e.added...)
	slices.SortFunc(after, compareSlices)
	return after
}
