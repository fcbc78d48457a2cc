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

package scheduler

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	listersv1 "k8s.io/client-go/listers/resource/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/celeval"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// specialClaimIndex indexes claims for extended resources by the pod's UID.
const specialClaimIndex = "draSpecialClaimByPod"

// cluster is shared by all profiles of a scheduler: devices and their use, selector results, and
// waiting pods.
type cluster struct {
	// simulated disables writes and wake-ups; see Simulation.
	simulated Simulation

	state     *state.State
	selectors *celeval.Cache
	lister    listersv1.ResourceClaimLister
	indexer   cache.Indexer
	synced    cache.DoneChecker // nil if all claims are known from the start
	waking    waking
	seen      watermark
	watches   claimWatches
	waiting   waitingPods
	released  recentPods

	mu        sync.Mutex
	inventory *inventory.Inventory
	// recent are the last slice lists of a simulation, which alternates between a few.
	recent [2]listedDevices
}

// listedDevices are the devices of an immutable list of slices.
type listedDevices struct {
	slices    []*resourceapi.ResourceSlice
	inventory *inventory.Inventory
}

// of reports whether slices is the same list.
func (l *listedDevices) of(slices []*resourceapi.ResourceSlice) bool {
	return len(slices) > 0 && len(l.slices) == len(slices) && &l.slices[0] == &slices[0]
}

// newCluster uses the claims of an indexer and their use of devices. Callers must change both
// together.
func newCluster(claims cache.Indexer, use *state.State, features inventory.Features) (*cluster, error) {
	if err := claims.AddIndexers(cache.Indexers{specialClaimIndex: indexSpecialClaim}); err != nil {
		return nil, fmt.Errorf("index claims: %w", err)
	}
	return &cluster{
		state:     use,
		selectors: celeval.New(celeval.Config{}),
		lister:    listersv1.NewResourceClaimLister(claims),
		indexer:   claims,
		inventory: inventory.New(features),
	}, nil
}

// followCluster follows the claims of an API server and calls activate with pods to retry.
func followCluster(factory informers.SharedInformerFactory, features inventory.Features, activate func(map[string]*v1.Pod)) (*cluster, error) {
	claims, pods := factory.Resource().V1().ResourceClaims().Informer(), factory.Core().V1().Pods().Informer()
	c, err := newCluster(claims.GetIndexer(), state.New(), features)
	if err != nil {
		return nil, err
	}
	c.waking = waking{pods: pods.GetIndexer(), activate: activate}
	if err := pods.AddIndexers(cache.Indexers{claimPodsIndex: indexUnboundPod}); err != nil {
		return nil, fmt.Errorf("index pods: %w", err)
	}
	registration, err := claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { c.onClaim(nil, obj) },
		UpdateFunc: c.onClaim,
		DeleteFunc: c.onClaimGone,
	})
	if err != nil {
		return nil, fmt.Errorf("follow claims: %w", err)
	}
	c.synced = registration.HasSyncedChecker()
	return c, nil
}

func (c *cluster) onClaim(old, new any) {
	claim, ok := new.(*resourceapi.ResourceClaim)
	if !ok {
		return
	}
	// An interrupted watch may miss the replacement of a claim.
	before, changed := old.(*resourceapi.ResourceClaim)
	if changed && before.UID != claim.UID {
		c.state.Delete(before.UID)
		c.watches.notify(before.UID)
	}
	c.state.Set(claim)
	c.watches.notify(claim.UID)
	c.seen.advance(claim.ResourceVersion)
	if !changed {
		c.waking.wake(claim)
	}
}

func (c *cluster) onClaimGone(obj any) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	claim, ok := obj.(*resourceapi.ResourceClaim)
	if !ok {
		return
	}
	c.state.Delete(claim.UID)
	c.waiting.take(claim.UID) // Those pods now wait for a new claim of that name.
	c.watches.notify(claim.UID)
	c.seen.advance(claim.ResourceVersion)
}

// waitSynced waits until initial claims are known. The scheduler only waits for its own handlers, so
// the first attempts may come before this plugin's handler is ready.
func (c *cluster) waitSynced(ctx context.Context) error {
	if c.synced == nil {
		return nil
	}
	select {
	case <-c.synced.Done():
		return nil
	default:
	}
	select {
	case <-c.synced.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for resource claims: %w", context.Cause(ctx))
	}
}

// catchUpLimit bounds the wait in caughtUp. The events are already in the process.
const catchUpLimit = 100 * time.Millisecond

// caughtUp waits until all claim events stored by the informer before the call are handled, and
// returns false on timeout. The scheduling queue has its own handler and may be ahead.
func (c *cluster) caughtUp(ctx context.Context) bool {
	return c.seen.wait(ctx, c.indexer.LastStoreSyncResourceVersion(), catchUpLimit)
}

// devices returns the inventory of slices, which must be complete.
func (c *cluster) devices(slices []*resourceapi.ResourceSlice) *inventory.Inventory {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.recent {
		if c.recent[i].of(slices) {
			return c.recent[i].inventory
		}
	}
	c.inventory = c.inventory.With(slices)
	if c.simulated != nil {
		c.recent = [2]listedDevices{{slices, c.inventory}, c.recent[0]}
	}
	return c.inventory
}

// compile is for allocator.Config.
func (c *cluster) compile(expression string) allocator.Selector {
	return c.selectors.Compile(expression)
}

// specialClaim returns the name of the existing claim for the pod's extended resources, empty if there
// is none.
func (c *cluster) specialClaim(pod types.UID) (string, error) {
	objs, err := c.indexer.ByIndex(specialClaimIndex, string(pod))
	if err != nil || len(objs) == 0 {
		return "", err
	}
	name := ""
	for _, obj := range objs {
		// Repeated scheduler crashes may leave several. They are deleted one by one.
		if claim := obj.(*resourceapi.ResourceClaim); name == "" || claim.Name < name {
			name = claim.Name
		}
	}
	return name, nil
}

func indexSpecialClaim(obj any) ([]string, error) {
	claim, ok := obj.(*resourceapi.ResourceClaim)
	if !ok || claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] != "true" {
		return nil, nil
	}
	owner := metav1.GetControllerOf(claim)
	if owner == nil || owner.Kind != "Pod" {
		return nil, nil
	}
	return []string{string(owner.UID)}, nil
}
