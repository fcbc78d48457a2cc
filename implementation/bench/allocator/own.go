package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/celeval"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// own returns what this project's plugin does for a pod: the inventory is asked
// whether slices have changed (they have not), the claims are prepared once, then
// each node is asked in turn, and one result is written out.
func own(t task) func() error {
	cache := celeval.New(celeval.Config{})
	known := inventory.New(inventory.AllFeatures()).With(t.slices)
	return func() error { return pod(t, known, cache) }
}

// cold is own for the first pod after a restart: slices and selectors are new.
func cold(t task) func() error {
	return func() error {
		return pod(t, inventory.New(inventory.AllFeatures()), celeval.New(celeval.Config{}))
	}
}

func pod(t task, known *inventory.Inventory, cache *celeval.Cache) error {
	ctx := context.Background()
	inv := known.With(t.slices)
	demand, err := allocator.NewDemand(t.claims, allocator.Config{
		Features: inventory.AllFeatures(),
		Class:    newLister().Get,
		Compile:  func(expression string) allocator.Selector { return cache.Compile(expression) },
	})
	if err != nil {
		return fmt.Errorf("prepare claims: %w", err)
	}
	var chosen allocator.Result
	for _, at := range t.nodes {
		node, err := inv.Node(at)
		if err != nil {
			return fmt.Errorf("look up %s: %w", at.Name, err)
		}
		result, err := allocator.Allocate(ctx, allocator.Problem{Demand: demand, Node: node})
		if err != nil {
			return fmt.Errorf("allocate on %s: %w", at.Name, err)
		}
		if result.Fits() != t.fits {
			return fmt.Errorf("own says %t to whether %s fits, want %t", result.Fits(), at.Name, t.fits)
		}
		chosen = result
	}
	if !t.fits {
		return nil
	}
	if n := len(chosen.Allocations(func() types.UID { return "share" })); n != len(t.claims) {
		return fmt.Errorf("%d allocations for %d claims", n, len(t.claims))
	}
	return nil
}
