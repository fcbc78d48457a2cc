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

package resourceclaim

import (
	"slices"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

// remembered is the number of UIDs of deleted objects to keep. Older ones cost a lookup.
const remembered = 500

// awaited bounds the trust in a created claim before the watch shows it.
const awaited = time.Minute

// deletedPods are the most recently deleted pods.
type deletedPods struct{ uids *lru.Cache }

func newDeletedPods() *deletedPods { return &deletedPods{lru.New(remembered)} }

func (d *deletedPods) add(uid types.UID) { d.uids.Add(uid, nil) }

func (d *deletedPods) has(uid types.UID) bool {
	_, ok := d.uids.Get(uid)
	return ok
}

// createdClaims are the claims created by this controller and not in the cache yet. Without them, a
// pod synced again too soon would get a second claim. Once the watch shows a claim it is removed
// here, so the watch alone reports deletions.
type createdClaims struct {
	mutex sync.Mutex
	byPod map[types.UID][]createdClaim
	// shown are the latest claims from the watch, possibly before Create returns.
	shown *lru.Cache
}

type createdClaim struct {
	claim *resourceapi.ResourceClaim
	at    time.Time
}

func newCreatedClaims() *createdClaims {
	return &createdClaims{byPod: make(map[types.UID][]createdClaim), shown: lru.New(remembered)}
}

func (c *createdClaims) add(pod types.UID, claim *resourceapi.ResourceClaim) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, ok := c.shown.Get(claim.UID); !ok {
		c.byPod[pod] = append(c.byPod[pod], createdClaim{claim, time.Now()})
	}
}

// seen is called for each claim from the watch, including deleted ones.
func (c *createdClaims) seen(claim *resourceapi.ResourceClaim) {
	owner, ok := claimplan.OwningPod(claim)
	if !ok {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.shown.Add(claim.UID, nil)
	c.keep(owner.UID, func(other createdClaim) bool { return other.claim.UID != claim.UID })
}

func (c *createdClaims) of(pod types.UID) []*resourceapi.ResourceClaim {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.keep(pod, func(created createdClaim) bool { return time.Since(created.at) < awaited })
	var claims []*resourceapi.ResourceClaim
	for _, created := range c.byPod[pod] {
		claims = append(claims, created.claim)
	}
	return claims
}

func (c *createdClaims) forget(pod types.UID) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.byPod, pod)
}

func (c *createdClaims) keep(pod types.UID, worth func(createdClaim) bool) {
	kept := slices.DeleteFunc(c.byPod[pod], func(created createdClaim) bool { return !worth(created) })
	if len(kept) == 0 {
		delete(c.byPod, pod)
		return
	}
	c.byPod[pod] = kept
}
