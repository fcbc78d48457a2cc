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

package dramanager

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// specialClaimName is the name of claims for extended resources before the API server assigns one. It
// is Kubernetes' constant, known to plugins and tracker.
const specialClaimName = "<extended-resources>"

// pending is a signaled, unbound allocation.
type pending struct {
	claim *resourceapi.ResourceClaim // with allocation
	// sharers counts signals minus removals.
	sharers int
}

// claimTracker is the manager's ResourceClaimTracker.
type claimTracker Manager

func (t *claimTracker) manager() *Manager { return (*Manager)(t) }

// List returns all claims with pending allocations, by namespace and name.
func (t *claimTracker) List() ([]*resourceapi.ResourceClaim, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.manager().all(), nil
}

// Get returns a claim with its pending allocation, or a NotFound error.
func (t *claimTracker) Get(namespace, name string) (*resourceapi.ResourceClaim, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	claim := t.manager().stored(namespace, name)
	if claim == nil {
		return nil, apierrors.NewNotFound(resourceapi.Resource("resourceclaim"), name)
	}
	return t.manager().effective(claim), nil
}

// ListAllAllocatedDevices returns the devices allocated as a whole or in shares.
func (t *claimTracker) ListAllAllocatedDevices() (sets.Set[structured.DeviceID], error) {
	allocated, err := t.GatherAllocatedState()
	if err != nil {
		return nil, err
	}
	devices := allocated.AllocatedDevices
	for id := range allocated.AllocatedSharedDeviceIDs {
		devices.Insert(id.GetDeviceID())
	}
	return devices, nil
}

// GatherAllocatedState returns the devices in use, without admin access.
func (t *claimTracker) GatherAllocatedState() (*structured.AllocatedState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	allocated := &structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range t.manager().all() {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			if ptr.Deref(result.AdminAccess, false) {
				continue
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if result.ShareID == nil {
				allocated.AllocatedDevices.Insert(id)
				continue
			}
			allocated.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				allocated.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
			}
		}
	}
	return allocated, nil
}

// SignalClaimPendingAllocation records an allocation about to be bound. It does nothing if the claim
// is allocated, and adds a sharer if its allocation is already pending. It fails if the claim does not
// exist or another claim has its devices.
func (t *claimTracker) SignalClaimPendingAllocation(uid types.UID, claim *resourceapi.ResourceClaim) error {
	if claim == nil || claim.Status.Allocation == nil {
		return errors.New("signal allocation: the claim has none")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.manager()
	if known, ok := m.pending[uid]; ok {
		m.setPending(uid, &pending{claim: known.claim, sharers: known.sharers + 1})
		return nil
	}
	if claim.Name != specialClaimName {
		stored := m.stored(claim.Namespace, claim.Name)
		if stored == nil {
			return apierrors.NewNotFound(resourceapi.Resource("resourceclaim"), claim.Name)
		}
		if stored.UID == uid && stored.Status.Allocation != nil {
			return nil
		}
	}
	// This project's plugin has already assumed it.
	if m.state.InFlight(uid) == nil {
		if err := m.state.Assume(m.state.Snapshot(), claim); err != nil {
			return fmt.Errorf("signal allocation: %w", err)
		}
	}
	m.setPending(uid, &pending{claim: claim, sharers: 1})
	return nil
}

// GetPendingAllocation returns the pending allocation of a claim, nil if there is none.
func (t *claimTracker) GetPendingAllocation(uid types.UID) *resourceapi.AllocationResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known, ok := t.pending[uid]; ok {
		return known.claim.Status.Allocation
	}
	return nil
}

// MaybeRemoveClaimPendingAllocation drops a pending allocation. Without force it only removes one
// sharer while others are left. It returns true if the allocation was dropped.
func (t *claimTracker) MaybeRemoveClaimPendingAllocation(uid types.UID, force bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.manager()
	known, ok := m.pending[uid]
	if !ok {
		return false
	}
	if !force && known.sharers > 1 {
		m.setPending(uid, &pending{claim: known.claim, sharers: known.sharers - 1})
		return false
	}
	m.dropPending(uid)
	return true
}

// AssumeClaimAfterAPICall stores a new version of a claim. It fails if the claim does not exist or a
// newer version is known.
func (t *claimTracker) AssumeClaimAfterAPICall(claim *resourceapi.ResourceClaim) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.manager()
	stored := m.stored(claim.Namespace, claim.Name)
	if stored == nil || stored.UID != claim.UID {
		return apierrors.NewNotFound(resourceapi.Resource("resourceclaim"), claim.Name)
	}
	if order, err := resourceversion.CompareResourceVersion(claim.ResourceVersion, stored.ResourceVersion); err == nil && order < 0 {
		return fmt.Errorf("assume claim %s: version %s is older than %s", klog.KObj(claim), claim.ResourceVersion, stored.ResourceVersion)
	}
	name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
	if m.assumed[name] == nil {
		m.setAssumed(name, stored)
	}
	m.store(claim)
	return nil
}

// AssumedClaimRestore undoes AssumeClaimAfterAPICall.
func (t *claimTracker) AssumedClaimRestore(namespace, claimName string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.manager()
	name := types.NamespacedName{Namespace: namespace, Name: claimName}
	before := m.assumed[name]
	if before == nil {
		return
	}
	m.setAssumed(name, nil)
	m.store(before)
}

// all returns all claims with pending allocations, by namespace and name.
func (m *Manager) all() []*resourceapi.ResourceClaim {
	claims := make([]*resourceapi.ResourceClaim, 0, len(m.pending))
	for _, object := range m.claims.List() {
		claims = append(claims, m.effective(object.(*resourceapi.ResourceClaim)))
	}
	for _, p := range m.pending {
		if p.claim.Name == specialClaimName {
			claims = append(claims, p.claim)
		}
	}
	slices.SortFunc(claims, byName)
	return claims
}

func byName(a, b *resourceapi.ResourceClaim) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// effective is the claim with its pending allocation.
func (m *Manager) effective(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	if p, ok := m.pending[claim.UID]; ok && claim.Status.Allocation == nil {
		return p.claim
	}
	return claim
}
