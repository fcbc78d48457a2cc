package inventory

import (
	"hash/maphash"
	"maps"
	"sync"
	"sync/atomic"
)

// viewTable remembers one view for each node name, for all inventories that came
// from one New. Reading is a map look-up without a lock. It is cut into shards
// because a new name copies its shard.
type viewTable struct {
	seed   maphash.Seed
	shards [viewShards]atomic.Pointer[map[string]*viewSlot]

	// mutex is for adding and removing names.
	mutex sync.Mutex
	// size is the number of names, limit the one at which to sweep.
	size, limit int
}

const (
	viewShards = 256
	// minSweep is how many names there may be before any is dropped.
	minSweep = 1024
)

// viewSlot has the view of a node.
type viewSlot struct {
	view atomic.Pointer[view]
	// used since the last sweep.
	used atomic.Bool
}

func newViewTable() *viewTable {
	t := &viewTable{seed: maphash.MakeSeed(), limit: minSweep}
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
	// Most of the time it is set; writing again would slow down other readers.
	if !slot.used.Load() {
		slot.used.Store(true)
	}
	return slot.view.Load()
}

// put replaces the view of a node.
func (t *viewTable) put(name string, v *view) {
	shard := t.shard(name)
	if slot := (*shard.Load())[name]; slot != nil {
		slot.view.Store(v)
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := *shard.Load()
	if slot := known[name]; slot != nil {
		slot.view.Store(v)
		return
	}
	slot := &viewSlot{}
	slot.view.Store(v)
	slot.used.Store(true)
	next := maps.Clone(known)
	next[name] = slot
	shard.Store(&next)
	t.size++
	if t.size > t.limit {
		t.sweep()
	}
}

// drop forgets a node.
func (t *viewTable) drop(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	shard := t.shard(name)
	known := *shard.Load()
	if known[name] == nil {
		return
	}
	next := maps.Clone(known)
	delete(next, name)
	shard.Store(&next)
	t.size--
}

// sweep forgets the nodes that nobody asked for since the last sweep. Nobody tells
// the inventory that a node is gone; what is swept by mistake is soon made again.
func (t *viewTable) sweep() {
	t.size = 0
	for i := range t.shards {
		next := make(map[string]*viewSlot)
		for name, slot := range *t.shards[i].Load() {
			if slot.used.Swap(false) {
				next[name] = slot
			}
		}
		t.shards[i].Store(&next)
		t.size += len(next)
	}
	t.limit = max(minSweep, 2*t.size)
}
