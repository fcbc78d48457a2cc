package sampledriver

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/classic/controller"
)

var _ controller.Simulator = &Driver{}

// Simulate implements controller.Simulator: a copy of the state without file or injected failures.
func (d *Driver) Simulate(_ context.Context, nodes []*corev1.Node) (controller.Driver, error) {
	known := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for _, node := range nodes {
		if err := known.Add(node); err != nil {
			return nil, fmt.Errorf("note node %s: %w", node.Name, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	config := d.config
	config.Takes = 0
	return &Driver{
		config: config, selector: d.selector, objects: d.objects, nodes: corelisters.NewNodeLister(known), state: &state{Claims: maps.Clone(d.state.Claims)},
		simulated: true,
	}, nil
}
