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

package hard

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/celeval"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Own returns the work of this project's plugin for a pod: it checks the inventory for changed
// slices (there are none), prepares the claims once, tries each node in turn, and writes one
// result.
func Own(t Task) func() error {
	cache := celeval.New(celeval.Config{})
	known := inventory.New(inventory.AllFeatures()).With(t.Slices)
	return func() error { return pod(t, known, cache) }
}

// Cold is Own for the first pod after a restart, with new slices and selectors.
func Cold(t Task) func() error {
	return func() error {
		return pod(t, inventory.New(inventory.AllFeatures()), celeval.New(celeval.Config{}))
	}
}

func pod(t Task, known *inventory.Inventory, cache *celeval.Cache) error {
	ctx := context.Background()
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: Class}}
	inv := known.With(t.Slices)
	demand, err := allocator.NewDemand(t.Claims, allocator.Config{
		Features: inventory.AllFeatures(),
		Class:    func(string) (*resourceapi.DeviceClass, error) { return class, nil },
		Compile:  func(expression string) allocator.Selector { return cache.Compile(expression) },
	})
	if err != nil {
		return fmt.Errorf("prepare claims: %w", err)
	}
	var chosen allocator.Result
	for _, at := range t.Nodes {
		node, err := inv.Node(at)
		if err != nil {
			return fmt.Errorf("look up %s: %w", at.Name, err)
		}
		result, err := allocator.Allocate(ctx, allocator.Problem{Demand: demand, Node: node})
		if err != nil {
			return fmt.Errorf("allocate on %s: %w", at.Name, err)
		}
		if result.Fits() != t.Fits {
			return fmt.Errorf("own says %t to whether %s fits, want %t", result.Fits(), at.Name, t.Fits)
		}
		chosen = result
	}
	if !t.Fits {
		return nil
	}
	if n := len(chosen.Allocations(func() types.UID { return "share" })); n != len(t.Claims) {
		return fmt.Errorf("%d allocations for %d claims", n, len(t.Claims))
	}
	return nil
}
