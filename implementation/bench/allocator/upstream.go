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

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/dra-conformance/dratest/implementation/bench/hard"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

const limitUpstream = 2 * time.Second

var errCapped = errors.New("no answer in time")

// lister has one class without selectors.
type lister struct{ class resourceapi.DeviceClass }

func newLister() *lister {
	return &lister{resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: hard.Class}}}
}

// List returns all classes.
func (l *lister) List() ([]*resourceapi.DeviceClass, error) {
	return []*resourceapi.DeviceClass{&l.class}, nil
}

// Get returns the class.
func (l *lister) Get(string) (*resourceapi.DeviceClass, error) { return &l.class, nil }

// upstream returns the work of upstream's plugin for a pod: one allocator, then each node in turn.
func upstream(t hard.Task, patience time.Duration) func() error {
	cache := cel.NewCache(10, cel.Features{EnableConsumableCapacity: true})
	classes := newLister()
	f := inventory.AllFeatures()
	features := structured.Features{
		AdminAccess: f.AdminAccess, PrioritizedList: f.PrioritizedList, PartitionableDevices: f.PartitionableDevices,
		DeviceTaints: f.DeviceTaints, DeviceBindingAndStatus: f.DeviceBindingAndStatus,
		ConsumableCapacity: f.ConsumableCapacity, FractionalCapacityRange: f.FractionalCapacityRange,
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		// Nothing is in use; the plugin also makes new sets for each pod.
		state := structured.AllocatedState{
			AllocatedDevices:         sets.New[structured.DeviceID](),
			AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
			AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
		}
		alloc, err := structured.NewAllocator(ctx, features, state, classes, t.Slices, cache)
		if err != nil {
			return fmt.Errorf("make upstream's allocator: %w", err)
		}
		for _, node := range t.Nodes {
			result, err := alloc.Allocate(ctx, node, t.Claims)
			switch {
			case ctx.Err() != nil:
				return errCapped
			case err != nil:
				return fmt.Errorf("allocate with upstream: %w", err)
			case (result != nil) != t.Fits:
				return fmt.Errorf("upstream says %t to whether %s fits, want %t", result != nil, node.Name, t.Fits)
			}
		}
		return nil
	}
}
