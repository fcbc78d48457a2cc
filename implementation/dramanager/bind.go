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

// Bind does the work of PreBind and the API server: it stores the pending allocations of the pod's
// claims, reserves the claims for the pod, and creates the special claim. An error leaves everything
// unchanged.
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

// reserve stores an allocated claim reserved for a pod.
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

// Release does the work of the claim controller after the pod's deletion but keeps the pod's claims,
// as if re-created: none is reserved for the pod, claims without other users are deallocated, special
// claims are deleted.
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

// Claims returns the claims reserved for a pod by name, including special ones.
func (m *Manager) Claims(pod *v1.Pod) []*resourceapi.ResourceClaim {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reservedFor(pod)
}

func (m *Manager) reservedFor(pod *v1.Pod) []*resourceapi.ResourceClaim {
	objects, err := m.claims.ByIndex(consumerIndex, string(pod.UID))
	if err != nil {
		panic(err) // our own index
	}
	claims := make([]*resourceapi.ResourceClaim, 0, len(objects))
	for _, object := range objects {
		claims = append(claims, object.(*resourceapi.ResourceClaim))
	}
	slices.SortFunc(claims, byName)
	return claims
}

// Rewrite replaces the stored claim of the same name; see scheduler.Simulation.
func (m *Manager) Rewrite(claim *resourceapi.ResourceClaim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rewritten++
	m.store(claim)
}

// Remove deletes a claim and frees its devices; see scheduler.Simulation.
func (m *Manager) Remove(claim *resourceapi.ResourceClaim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rewritten++
	m.remove(claim)
}

// Rewritten counts calls of Rewrite and Remove. PostFilter uses both to free devices: after a call the
// pod should be retried.
func (m *Manager) Rewritten() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rewritten
}

// consumerIndex indexes claims by the UIDs of their reservedFor pods.
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

// claimsOf returns the stored claims of the pod's spec.
func (m *Manager) claimsOf(pod *v1.Pod) ([]*resourceapi.ResourceClaim, error) {
	var claims []*resourceapi.ResourceClaim
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return nil, err
		}
		if name == nil {
			continue // the pod needs none
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

// store replaces the record of a claim.
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
		panic(err) // claims have names
	}
	m.state.Set(unversioned(claim))
	if p, ok := m.pending[claim.UID]; ok {
		m.state.Restore(p.claim)
	}
}

// take keeps the claim in the state: the state ignores UIDs once deleted.
func (m *Manager) take(claim *resourceapi.ResourceClaim) {
	if err := m.claims.Delete(claim); err != nil {
		panic(err) // claims have names
	}
	gone := unversioned(claim)
	gone.Status.Allocation = nil
	m.state.Set(gone)
}

// unversioned strips the version, because the state ignores older versions and Revert restores them.
func unversioned(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	c := *claim
	c.ResourceVersion = ""
	return &c
}

// setPending replaces a pending allocation; nil means none. The caller updates the state.
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
