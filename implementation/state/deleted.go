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

import "k8s.io/apimachinery/pkg/types"

// deletedClaims remembers recently deleted claims. Without it, an API response handled after the
// deletion would resurrect a claim, and no event would ever remove it. UIDs are never reused.
type deletedClaims struct {
	uids map[types.UID]bool
	// ring is in the order of deletion, next is the position of the oldest entry.
	ring []types.UID
	next int
}

// maxDeleted is far above the number of concurrent API calls.
const maxDeleted = 4096

func newDeletedClaims() deletedClaims { return deletedClaims{uids: make(map[types.UID]bool)} }

func (d *deletedClaims) has(uid types.UID) bool { return d.uids[uid] }

func (d *deletedClaims) add(uid types.UID) {
	if d.uids[uid] {
		return
	}
	d.uids[uid] = true
	if len(d.ring) < maxDeleted {
		d.ring = append(d.ring, uid)
		return
	}
	delete(d.uids, d.ring[d.next])
	d.ring[d.next] = uid
	d.next = (d.next + 1) % maxDeleted
}
