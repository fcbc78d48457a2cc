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

package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/spec"
)

// repairPeriod is the interval of checks for deleted slices.
const repairPeriod = 5 * time.Second

// publisher writes the ResourceSlices of one driver on one node; the sockets of an instance share it, also during an
// upgrade. It replaces the DRA library's controller, because that one waits a second before its first write (it polls
// for its cache once a second) and reports errors later; cases want their devices, or the error, at once.
type publisher struct {
	agent  Config
	driver string
	// undivided publishes each pool as one slice, regardless of limits.
	undivided bool
	// onePool ignores the node in the names of pools.
	onePool bool
	// updated are slices assumed to exist since they were updated, or created; nil if none is.
	updated map[string]resourceapi.ResourceSlice
	// assumesCreated adds created slices to them.
	assumesCreated bool
	// mutant is how the driver is broken.
	mutant spec.MutantID

	// mutex serialises writing.
	mutex   sync.Mutex
	profile spec.Profile
	// known: there is a profile. Before that, the previous process's slices stay.
	known bool
	// done: the profile was in the API server once.
	done bool
}

// set replaces the inventory; it is in the API server when set returns.
func (p *publisher) set(ctx context.Context, profile spec.Profile) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.profile, p.known, p.done = profile, true, false
	return p.write(ctx)
}

// run keeps the inventory published until ctx ends, since a starting kubelet deletes the slices of its node. kick
// triggers a check.
func (p *publisher) run(ctx context.Context, kick <-chan struct{}, report func(error)) {
	ticker := time.NewTicker(repairPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-kick:
		}
		if err := p.repair(ctx); ctx.Err() == nil {
			report(err)
		}
	}
}

// repair publishes missing slices again. Without any it sends no requests: the node part of a driver with its own
// controller is silent.
func (p *publisher) repair(ctx context.Context) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.known || p.done && len(p.profile.Pools) == 0 {
		return nil
	}
	return p.write(ctx)
}

// write makes the slices in the API server match the profile.
func (p *publisher) write(ctx context.Context) (err error) {
	defer func() { p.done = p.done || err == nil }()
	existing, err := p.list(ctx)
	if err != nil {
		return err
	}
	wanted := p.pools()
	var errs []error
	for _, pool := range slices.Sorted(maps.Keys(existing)) {
		if _, ok := wanted[pool]; !ok {
			errs = append(errs, p.remove(ctx, existing[pool]))
		}
	}
	for _, pool := range slices.Sorted(maps.Keys(wanted)) {
		if err := p.writePool(ctx, wanted[pool], existing[pool]); err != nil {
			errs = append(errs, fmt.Errorf("publish pool %s: %w", pool, err))
		}
	}
	return errors.Join(errs...)
}

// list returns the driver's slices on this node by pool, in order of their names.
func (p *publisher) list(ctx context.Context) (map[string][]resourceapi.ResourceSlice, error) {
	selector := fields.Set{
		resourceapi.ResourceSliceSelectorDriver:   p.driver,
		resourceapi.ResourceSliceSelectorNodeName: p.agent.NodeName,
	}
	list, err := p.agent.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: selector.String()})
	if err != nil {
		return nil, fmt.Errorf("list resource slices: %w", err)
	}
	pools := map[string][]resourceapi.ResourceSlice{}
	for _, slice := range p.updated {
		if !slices.ContainsFunc(list.Items, func(s resourceapi.ResourceSlice) bool { return s.Name == slice.Name }) {
			list.Items = append(list.Items, slice)
		}
	}
	for _, slice := range list.Items {
		pools[slice.Spec.Pool.Name] = append(pools[slice.Spec.Pool.Name], slice)
	}
	for _, pool := range pools {
		slices.SortFunc(pool, func(a, b resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	}
	return pools, nil
}

// writePool replaces the slices of one pool with a new generation, so nobody sees a mixture of old and new. A pool of
// one slice is updated atomically in place. It gets a new generation nevertheless: ResourcePool.Generation says that
// a driver must change it whenever it changes a resource in the pool. (The library's controller keeps it for a single
// update.)
func (p *publisher) writePool(ctx context.Context, parts, old []resourceapi.ResourceSlice) error {
	if slices.EqualFunc(parts, old, sameDevices) {
		return nil
	}
	client := p.agent.Client.ResourceV1().ResourceSlices()
	if len(parts) == len(old) && (len(old) == 1 || p.mutant == spec.MutantInPlace) {
		for i := range old {
			slice := old[i].DeepCopy()
			if p.mutant != spec.MutantInPlace {
				slice.Spec.Pool.Generation++
			}
			slice.Spec.Devices, slice.Spec.SharedCounters = parts[i].Spec.Devices, parts[i].Spec.SharedCounters
			stored, err := client.Update(ctx, slice, metav1.UpdateOptions{})
			if err := p.checkStored(slice, stored, err); err != nil {
				return err
			}
			if p.updated != nil {
				p.updated[stored.Name] = *stored
			}
		}
		return nil
	}
	generation := int64(1)
	for _, slice := range old {
		generation = max(generation, slice.Spec.Pool.Generation+1)
	}
	for i := range parts {
		parts[i].Spec.Pool.Generation = generation
		stored, err := client.Create(ctx, &parts[i], metav1.CreateOptions{})
		if err := p.checkStored(&parts[i], stored, err); err != nil {
			return err
		}
		if p.assumesCreated {
			p.updated[stored.Name] = *stored
		}
	}
	return p.remove(ctx, old)
}

func (p *publisher) remove(ctx context.Context, old []resourceapi.ResourceSlice) error {
	var errs []error
	for _, slice := range old {
		err := p.agent.Client.ResourceV1().ResourceSlices().Delete(ctx, slice.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("delete resource slice: %w", err))
		}
	}
	return errors.Join(errs...)
}

// checkStored returns an error for fields dropped by the API server.
func (p *publisher) checkStored(wanted, stored *resourceapi.ResourceSlice, err error) error {
	if err != nil {
		return fmt.Errorf("write resource slice: %w", err)
	}
	if p.mutant == spec.MutantUnchecked || sameDevices(*wanted, *stored) {
		return nil
	}
	return &resourceslice.DroppedFieldsError{PoolName: wanted.Spec.Pool.Name, DesiredSlice: wanted, ActualSlice: stored}
}

func poolName(node string, pool spec.Pool) string {
	if pool.Suffix == "" {
		return node
	}
	return node + "-" + pool.Suffix
}

func (p *publisher) pools() map[string][]resourceapi.ResourceSlice {
	pools := map[string][]resourceapi.ResourceSlice{}
	for _, pool := range p.profile.Pools {
		name := poolName(p.agent.NodeName, pool)
		if p.onePool {
			name = poolName("pool", pool)
		}
		parts := split(pool)
		if p.undivided {
			parts = []resourceapi.ResourceSlice{{Spec: resourceapi.ResourceSliceSpec{Devices: pool.Devices}}}
		}
		for i := range parts {
			parts[i].ObjectMeta = metav1.ObjectMeta{
				// The scheduler tries slices in order of their names.
				GenerateName: fmt.Sprintf("%05x-%s-%s-", i, p.driver, p.agent.NodeName),
				Labels:       map[string]string{spec.LabelManagedBy: spec.ManagedBy},
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "v1", Kind: "Node", Name: p.agent.NodeName, UID: p.agent.NodeUID, Controller: ptr.To(true),
				}},
			}
			switch p.mutant {
			case spec.MutantNoOwner:
				parts[i].OwnerReferences = nil
			case spec.MutantNoMapping:
				parts[i].Spec.Devices = unmapped(parts[i].Spec.Devices)
			default:
			}
			parts[i].Spec.Driver = p.driver
			parts[i].Spec.NodeName = &p.agent.NodeName
			parts[i].Spec.Pool = resourceapi.ResourcePool{Name: name, ResourceSliceCount: int64(len(parts))}
		}
		pools[name] = parts
	}
	return pools
}
