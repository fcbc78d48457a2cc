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
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
)

// Bind does what PreBind would have the API server do: pending allocations of the
// pod's claims become theirs, the claims are reserved for the pod, and the special
// claim is created. After an error nothing has changed.
func (m *Manager) Bind(pod *v1.Pod) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	claims, err := m.claimsOf(pod)
	if err != nil {
		return fmt.Errorf("bind claims of pod %s: %w", klog.KObj(pod), err)
	}
	for _, claim := range claims {
		switch {
		case m.effective(claim).Status.Allocation == nil:
			return fmt.Errorf("bind claims of pod %s: claim %s has no allocation: call Reserve first", klog.KObj(pod), klog.KObj(claim))
		case !resourceclaim.CanBeReserved(claim) && !resourceclaim.IsReservedForPod(pod, claim, false):
			return fmt.Errorf("bind claims of pod %s: claim %s is reserved for as many as it can be", klog.KObj(pod), klog.KObj(claim))
		}
	}
	for _, claim := range claims {
		m.reserve(pod, m.effective(claim).DeepCopy())
	}
	for uid, p := range m.pending {
		if owner := metav1.GetControllerOf(p.claim); p.claim.Name == specialClaimName && owner != nil && owner.UID == pod.UID {
			claim := p.claim.DeepCopy()
			claim.Name = claim.GenerateName + string(uid)
			m.reserve(pod, claim)
		}
	}
	return nil
}

// reserve stores a claim that is allocated, for a pod.
func (m *Manager) reserve(pod *v1.Pod, claim *resourceapi.ResourceClaim) {
	if !resourceclaim.IsReservedForPod(pod, claim, false) {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
			APIGroup: v1.GroupName, Resource: "pods", Name: pod.Name, UID: pod.UID,
		})
	}
	if _, ok := m.pending[claim.UID]; ok {
		m.dropPending(claim.UID)
	}
	m.store(claim)
}

// Release does what the claim controller would do if the pod went away, but keeps the
// pod's claims, as if they were made again: none is reserved for the pod, those that
// nobody else uses are not allocated, special claims are deleted.
func (m *Manager) Release(pod *v1.Pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, claim := range m.reservedFor(pod) {
		if claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
			m.remove(claim)
			continue
		}
		left := claim.DeepCopy()
		left.Status.ReservedFor = slices.DeleteFunc(left.Status.ReservedFor, func(c resourceapi.ResourceClaimConsumerReference) bool { return c.UID == pod.UID })
		if len(left.Status.ReservedFor) == 0 {
			left.Status.Allocation, left.Status.Devices = nil, nil
		}
		m.store(left)
	}
}

// Claims returns the claims that are reserved for a pod, special ones included, by name.
func (m *Manager) Claims(pod *v1.Pod) []*resourceapi.ResourceClaim {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reservedFor(pod)
}

func (m *Manager) reservedFor(pod *v1.Pod) []*resourceapi.ResourceClaim {
	objects, err := m.claims.ByIndex(consumerIndex, string(pod.UID))
	if err != nil {
		panic(err) // The index is ours.
	}
	claims := make([]*resourceapi.ResourceClaim, 0, len(objects))
	for _, object := range objects {
		claims = append(claims, object.(*resourceapi.ResourceClaim))
	}
	slices.SortFunc(claims, byName)
	return claims
}

// Rewrite stores a claim in place of what was there of that name; see
// scheduler.Simulation.
func (m *Manager) Rewrite(claim *resourceapi.ResourceClaim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rewritten++
	m.store(claim)
}

// Remove takes a claim away, with its devices; see scheduler.Simulation.
func (m *Manager) Remove(claim *resourceapi.ResourceClaim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rewritten++
	m.remove(claim)
}

// Rewritten counts the calls of Rewrite and Remove, by which PostFilter frees devices:
// if there was one the pod is to be tried again.
func (m *Manager) Rewritten() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rewritten
}

// consumerIndex finds claims by the UIDs of the pods that they are reserved for.
const consumerIndex = "draClaimsByConsumer"

func indexConsumers(object any) ([]string, error) {
	claim, ok := object.(*resourceapi.ResourceClaim)
	if !ok {
		return nil, errors.New("not a claim")
	}
	uids := make([]string, 0, len(claim.Status.ReservedFor))
	for _, consumer := range claim.Status.ReservedFor {
		uids = append(uids, string(consumer.UID))
	}
	return uids, nil
}

// claimsOf returns the claims that the pod's spec names, as they are stored.
func (m *Manager) claimsOf(pod *v1.Pod) ([]*resourceapi.ResourceClaim, error) {
	var claims []*resourceapi.ResourceClaim
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return nil, err
		}
		if name == nil {
			continue // The pod goes without.
		}
		claim := m.stored(pod.Namespace, *name)
		if claim == nil {
			return nil, fmt.Errorf("there is no claim %s/%s", pod.Namespace, *name)
		}
		if !slices.Contains(claims, claim) {
			claims = append(claims, claim)
		}
	}
	return claims, nil
}

// stored returns a claim without its pending allocation, nil if there is none.
func (m *Manager) stored(namespace, name string) *resourceapi.ResourceClaim {
	object, found, err := m.claims.GetByKey(namespace + "/" + name)
	if err != nil || !found {
		return nil
	}
	return object.(*resourceapi.ResourceClaim)
}

// store replaces what is known of a claim.
func (m *Manager) store(claim *resourceapi.ResourceClaim) {
	before := m.stored(claim.Namespace, claim.Name)
	m.put(claim)
	m.onRevert(func() {
		if before == nil {
			m.take(claim)
		} else {
			m.put(before)
		}
	})
}

func (m *Manager) remove(claim *resourceapi.ResourceClaim) {
	m.take(claim)
	m.onRevert(func() { m.put(claim) })
}

func (m *Manager) put(claim *resourceapi.ResourceClaim) {
	if err := m.claims.Update(claim); err != nil {
		panic(err) // A claim has a name.
	}
	m.state.Set(unversioned(claim))
	if p, ok := m.pending[claim.UID]; ok {
		m.state.Restore(p.claim)
	}
}

// take does not delete the claim from the state, which would never know it again.
func (m *Manager) take(claim *resourceapi.ResourceClaim) {
	if err := m.claims.Delete(claim); err != nil {
		panic(err) // A claim has a name.
	}
	gone := unversioned(claim)
	gone.Status.Allocation = nil
	m.state.Set(gone)
}

// unversioned is the claim as a state takes it at any time: it ignores versions that
// are older than what it knows, which Revert brings back.
func unversioned(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	c := *claim
	c.ResourceVersion = ""
	return &c
}

// setPending replaces a pending allocation, nil for none. The state has to know.
func (m *Manager) setPending(uid types.UID, next *pending) {
	before, ok := m.pending[uid]
	if next == nil {
		delete(m.pending, uid)
	} else {
		m.pending[uid] = *next
	}
	m.onRevert(func() {
		if ok {
			m.pending[uid] = before
		} else {
			delete(m.pending, uid)
			m.state.Forget(uid)
		}
	})
}

// dropPending ends a pending allocation.
func (m *Manager) dropPending(uid types.UID) {
	claim := m.pending[uid].claim
	m.state.Forget(uid)
	m.onRevert(func() { m.state.Restore(claim) })
	m.setPending(uid, nil)
}

func (m *Manager) setAssumed(name types.NamespacedName, before *resourceapi.ResourceClaim) {
	known := m.assumed[name]
	replace := func(claim *resourceapi.ResourceClaim) {
		if claim == nil {
			delete(m.assumed, name)
		} else {
			m.assumed[name] = claim
		}
	}
	replace(before)
	m.onRevert(func() { replace(known) })
}
