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

package state

import (
	"hash/maphash"
	"maps"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Snapshot is the use of all devices at one moment. It is immutable; nil means all are free.
type Snapshot struct {
	seed maphash.Seed
	// shards hold the pools by hash, so a change copies only a small part.
	shards [snapshotShards]map[inventory.PoolID]*PoolUse
}

const snapshotShards = 256

// Pool returns the use of a pool's devices, nil if all are free. The pointer changes exactly when the
// use of the pool changes.
func (s *Snapshot) Pool(id inventory.PoolID) *PoolUse {
	if s == nil {
		return nil
	}
	return s.shards[s.shard(id)][id]
}

func (s *Snapshot) shard(id inventory.PoolID) uint64 {
	return maphash.Comparable(s.seed, id) % snapshotShards
}

// with returns a copy with different use of some pools; nil means unused.
func (s *Snapshot) with(changed map[inventory.PoolID]*PoolUse) *Snapshot {
	next := *s
	copied := make(map[uint64]bool, len(changed))
	for id, use := range changed {
		n := s.shard(id)
		if !copied[n] {
			copied[n] = true
			next.shards[n] = maps.Clone(next.shards[n])
			if next.shards[n] == nil {
				next.shards[n] = make(map[inventory.PoolID]*PoolUse)
			}
		}
		if use == nil {
			delete(next.shards[n], id)
		} else {
			next.shards[n][id] = use
		}
	}
	return &next
}
