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
