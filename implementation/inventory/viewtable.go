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
	"hash/maphash"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
)

// viewTable caches one view per node name for all inventories of a lineage. Reads are map lookups
// without a lock. The table is sharded because a new name copies its shard.
//
// Inventories get no event for deleted nodes. The view is dropped when the node object becomes
// garbage.
type viewTable struct {
	seed   maphash.Seed
	shards [viewShards]atomic.Pointer[map[string]*viewSlot]
	// mutex protects adding and removing names.
	mutex sync.Mutex
}

const viewShards = 256

type viewSlot = atomic.Pointer[view]

func newViewTable() *viewTable {
	t := &viewTable{seed: maphash.MakeSeed()}
	for i := range t.shards {
		t.shards[i].Store(&map[string]*viewSlot{})
	}
	return t
}

func (t *viewTable) shard(name string) *atomic.Pointer[map[string]*viewSlot] {
	return &t.shards[maphash.String(t.seed, name)%viewShards]
}

// get returns the view of a node, nil if there is none.
func (t *viewTable) get(name string) *view {
	slot := (*t.shard(name).Load())[name]
	if slot == nil {
		return nil
	}
	return slot.Load()
}

// put replaces the view of a node.
func (t *viewTable) put(node *corev1.Node, v *view) {
	shard := t.shard(node.Name)
	if slot := (*shard.Load())[node.Name]; slot != nil {
		before := slot.Swap(v)
		if before.node != v.node {
			runtime.AddCleanup(node, t.dropDead, node.Name)
		}
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	slot := (*shard.Load())[node.Name]
	if slot == nil {
		slot = &viewSlot{}
		next := maps.Clone(*shard.Load())
		next[node.Name] = slot
		shard.Store(&next)
	}
	slot.Store(v)
	runtime.AddCleanup(node, t.dropDead, node.Name)
}

func (t *viewTable) drop(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.remove(name)
}

// dropDead removes a node's view if its node object is garbage and no newer one replaced it.
func (t *viewTable) dropDead(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if v := t.get(name); v != nil && v.node.Value() == nil {
		t.remove(name)
	}
}

func (t *viewTable) remove(name string) {
	shard := t.shard(name)
	if (*shard.Load())[name] == nil {
		return
	}
	next := maps.Clone(*shard.Load())
	delete(next, name)
	shard.Store(&next)
}
