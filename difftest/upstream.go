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

package difftest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Upstream is the allocator of Kubernetes' scheduler plugin, called like in the plugin. It is not
// safe for concurrent use.
type Upstream struct {
	cache *cel.Cache
}

// useIncubating pins the allocator used by upstream with default features: with fewer features it
// may choose an older one, with a random order of pools.
var useIncubating = sync.OnceFunc(func() { structured.EnableAllocators("incubating") }) //nolint:gochecknoglobals // upstream's switch is global

// NewUpstream returns upstream's allocator.
func NewUpstream() *Upstream {
	useIncubating()
	return &Upstream{cache: cel.NewCache(1000, cel.Features{EnableConsumableCapacity: true})}
}

// Solve runs upstream's allocator.
func (u *Upstream) Solve(ctx context.Context, p *problem.Problem, patience Patience) []Answer {
	features, err := upstreamFeatures(p)
	if err != nil {
		return failEverywhere(p, Crash, err)
	}
	slices := make([]*resourceapi.ResourceSlice, len(p.Slices))
	for i := range p.Slices {
		slices[i] = &p.Slices[i]
	}
	claims := make([]*resourceapi.ResourceClaim, len(p.Claims))
	for i := range p.Claims {
		claims[i] = &p.Claims[i]
	}
	alloc, err := structured.NewAllocator(ctx, features, allocatedState(p, features.ConsumableCapacity), classes(p.Classes), slices, u.cache)
	if err != nil {
		return failEverywhere(p, PodError, err)
	}
	answers := make([]Answer, len(p.Nodes))
	for i := range p.Nodes {
		answers[i] = allocate(ctx, alloc, p.Nodes[i].API(), claims, patience(i))
		if answers[i].Kind == Crash && !known(p.Claims) {
			// The plugin rejects such claims before calling the allocator.
			answers[i].Kind = PodError
		}
	}
	return answers
}

func allocate(ctx context.Context, alloc structured.Allocator, node *corev1.Node, claims []*resourceapi.ResourceClaim, patience time.Duration) (answer Answer) {
	defer guard(&answer)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	allocations, err := alloc.Allocate(ctx, node, claims)
	switch {
	case err != nil && ctx.Err() != nil:
		return Answer{Kind: TooSlow, Err: err}
	case errors.Is(err, structured.ErrFailedAllocationOnNode):
		return Answer{Kind: NodeError, Err: err}
	case err != nil:
		return Answer{Kind: PodError, Err: err}
	case allocations == nil:
		return Answer{Kind: DoesNotFit}
	}
	return Answer{Kind: Fits, Allocations: allocations}
}

// known reports whether Kubernetes v1.37 knows the kinds of all requests.
func known(claims []resourceapi.ResourceClaim) bool {
	for i := range claims {
		for _, r := range claims[i].Spec.Devices.Requests {
			if r.Exactly == nil && len(r.FirstAvailable) == 0 {
				return false
			}
		}
	}
	return true
}

func upstreamFeatures(p *problem.Problem) (structured.Features, error) {
	f, err := features(p)
	if err != nil {
		return structured.Features{}, err
	}
	return structured.Features{
		AdminAccess:             f.AdminAccess,
		PrioritizedList:         f.PrioritizedList,
		PartitionableDevices:    f.PartitionableDevices,
		DeviceTaints:            f.DeviceTaints,
		DeviceBindingAndStatus:  f.DeviceBindingAndStatus,
		ConsumableCapacity:      f.ConsumableCapacity,
		FractionalCapacityRange: f.FractionalCapacityRange,
	}, nil
}

// allocatedState summarizes allocated devices: those with admin access do not count; those with a
// share ID count as shared, but only with consumable capacity.
func allocatedState(p *problem.Problem, shares bool) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for i := range p.Allocated {
		allocation := p.Allocated[i].Status.Allocation
		if allocation == nil {
			continue
		}
		for _, result := range allocation.Devices.Results {
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			switch {
			case ptr.Deref(result.AdminAccess, false):
			case result.ShareID == nil || !shares:
				state.AllocatedDevices.Insert(id)
			default:
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
				if result.ConsumedCapacity != nil {
					state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
				}
			}
		}
	}
	return state
}

type classes []resourceapi.DeviceClass

// List returns all classes.
func (c classes) List() ([]*resourceapi.DeviceClass, error) {
	var all []*resourceapi.DeviceClass
	for i := range c {
		all = append(all, &c[i])
	}
	return all, nil
}

// Get returns the class with a name, or an error.
func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for i := range c {
		if c[i].Name == name {
			return &c[i], nil
		}
	}
	return nil, fmt.Errorf("deviceclass %q not found", name)
}
