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

// remembered is how many UIDs of deleted objects are kept. Older ones cost a look-up.
const remembered = 500

// awaited is how long a claim that was created is believed in although the watch does
// not show it.
const awaited = time.Minute

// deletedPods are the pods whose deletion was seen, the latest ones.
type deletedPods struct{ uids *lru.Cache }

func newDeletedPods() *deletedPods { return &deletedPods{lru.New(remembered)} }

func (d *deletedPods) add(uid types.UID) { d.uids.Add(uid, nil) }

func (d *deletedPods) has(uid types.UID) bool {
	_, ok := d.uids.Get(uid)
	return ok
}

// createdClaims are those that this controller has created and not seen yet: without
// them a pod that is looked at again too soon would get a second claim. They leave as
// soon as the watch has shown them, so that it is the watch that tells when one is
// deleted.
type createdClaims struct {
	mutex sync.Mutex
	byPod map[types.UID][]createdClaim
	// shown are the latest that the watch has shown, which can happen before Create
	// returns.
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

// seen is called with each claim of the watch, also when it is gone.
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

// of returns those that were created for a pod.
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

// forget is called when a pod is gone.
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
