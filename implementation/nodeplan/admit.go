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

package nodeplan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// admit checks that a pod may use its claims and adds it as their user in the next checkpoint, or
// returns an error. A rejected pod leaves no trace: it can be deleted without any driver, even if
// the driver never was on this node.
func (r *round) admit(pod Pod) error {
	wanted, err := r.check(pod)
	if err != nil {
		return err
	}
	var replaced []*claim
	for _, c := range wanted {
		old := r.known(c.id)
		switch {
		case old == nil:
		case !old.sameAs(c):
			if err := r.replaceable(old, c, pod.UID); err != nil {
				return err
			}
			replaced = append(replaced, old)
		case old.closing:
			return fmt.Errorf("ResourceClaim %s is being unprepared", c.id.Name)
		}
	}
	// A regenerated claim has another name.
	for _, old := range r.of(pod.UID) {
		if !slices.ContainsFunc(wanted, func(c *claim) bool { return c.id == old.id }) {
			replaced = append(replaced, old)
		}
	}
	if len(replaced) > 0 {
		r.replaced[pod.UID] = replaced
		for _, old := range replaced {
			r.detach(old, pod.UID)
		}
		return nil
	}
	for _, c := range wanted {
		r.attach(c, pod.UID)
	}
	return nil
}

// sameAs reports whether a claim is still the prepared or planned one.
func (c *claim) sameAs(other *claim) bool { return c.uid == other.uid && c.sameAllocation(other) }

// known returns a claim in the next checkpoint, or nil.
func (r *round) known(id ClaimID) *claim {
	if c := r.change.claims[id]; c != nil {
		return c
	}
	return r.claims[id]
}

func (r *round) attach(c *claim, pod types.UID) {
	if old := r.known(c.id); old != nil {
		old.devices = c.devices
		c = old
	} else {
		r.change.claims[c.id] = c
	}
	if users := r.users(c); !users.Has(pod) {
		r.change.pods[c.id] = users.Union(sets.New(pod))
		r.changed.Insert(pod)
	}
}

// replaceable reports whether an old claim can be unprepared in favor of its replacement with the
// same name, or with the same UID and other devices. If the pod itself is the only user, none of
// its containers runs: the claim was replaced while the pod started. Otherwise the other pods have
// to stop first.
func (r *round) replaceable(old, c *claim, pod types.UID) error {
	if len(r.users(old).Difference(sets.New(pod))) == 0 {
		return nil
	}
	if old.uid == c.uid {
		return fmt.Errorf("ResourceClaim %s is still prepared with the devices of an earlier allocation (previous pod force-deleted?!)", c.id.Name)
	}
	return fmt.Errorf("old ResourceClaim with same name %s and different UID %s still exists (previous pod force-deleted?!)", c.id.Name, old.uid)
}

// check returns the claims of a pod without duplicates, if the pod may use all of them and all
// drivers are registered. A missing driver is an error even if its part is done: something is wrong
// with the node.
func (r *round) check(pod Pod) ([]*claim, error) {
	refs, err := claimsOf(pod.Pod)
	if err != nil {
		return nil, err
	}
	var wanted []*claim
	for _, ref := range refs {
		from, err := pod.claim(ref, r.config.WorkloadResourceClaims)
		if err != nil {
			return nil, err
		}
		drivers, err := driversOf(from, r.config.OptionalNodeOperations)
		if err != nil {
			return nil, fmt.Errorf("ResourceClaim %s: %w", from.Name, err)
		}
		c := allocated(from, drivers)
		for _, driver := range c.drivers() {
			if !c.work[driver].skips(Prepare) && !r.drivers.Has(driver) {
				return nil, notRegistered(driver)
			}
		}
		if !slices.ContainsFunc(wanted, func(other *claim) bool { return other.id == c.id }) {
			wanted = append(wanted, c)
		}
	}
	return wanted, nil
}

// claim returns the claim for a reference if the pod may use it, with groups also through its
// group.
func (p Pod) claim(ref podClaim, groups bool) (*resourceapi.ResourceClaim, error) {
	found := p.Claims[ref.name]
	if found.Claim == nil {
		err := found.Err
		if err == nil {
			err = apierrors.NewNotFound(resourceapi.Resource("resourceclaims"), ref.name)
		}
		return nil, fmt.Errorf("fetch ResourceClaim %s: %w", ref.name, err)
	}
	if ref.generated {
		if err := resourceclaim.IsForPod(p.Pod, found.Claim, groups); err != nil {
			return nil, err
		}
	}
	if !resourceclaim.IsReservedForPod(p.Pod, found.Claim, groups) {
		return nil, fmt.Errorf("pod %s (%s) is not allowed to use ResourceClaim %s (%s)",
			p.Name, p.UID, ref.name, found.Claim.UID)
	}
	return found.Claim, nil
}

func notRegistered(driver string) error {
	if driver == "" {
		return errors.New("DRA driver name is empty")
	}
	return fmt.Errorf("DRA driver %s is not registered", driver)
}

// Rebuild restores a lost checkpoint. Pods must be all bound pods of the node not terminated yet. Any
// of their claims may have been prepared, including claims of pod groups, even with the feature gate
// disabled by now. Devices prepared for force-deleted pods cannot be recovered.
func Rebuild(pods []Pod) []ClaimInfo {
	claims := make(map[ClaimID]*claim)
	for _, pod := range pods {
		// A claim without a name was not prepared. The others count.
		refs, _ := claimsOf(pod.Pod)
		for _, ref := range refs {
			from, err := pod.claim(ref, true)
			if err != nil {
				continue
			}
			drivers, err := driversOf(from, true)
			if err != nil {
				continue
			}
			c := allocated(from, drivers)
			for _, w := range c.work {
				w.state.DevicesLost = true
			}
			if claims[c.id] == nil {
				claims[c.id] = c
			}
			claims[c.id].pods.Insert(pod.UID)
		}
	}
	var infos []ClaimInfo
	for _, id := range slices.SortedFunc(maps.Keys(claims), compareIDs) {
		infos = append(infos, claims[id].info(claims[id].pods))
	}
	return infos
}
