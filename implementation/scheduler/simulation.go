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

package scheduler

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// Simulation is a SharedDRAManager with all objects in memory, e.g. of an autoscaler. It replaces the
// informers of a plugin: the plugin filters, scores, reserves and unreserves as usual, but writes
// nothing to an API server and wakes no pods. PostFilter writes to the manager.
//
// Returned lists of slices must never be modified.
type Simulation interface {
	fwk.SharedDRAManager
	// State tracks the devices in use. Reserve assumes allocations there before it signals them to the
	// manager.
	State() *state.State
	// Indexer has the claims by "namespace/name". The plugin adds an index.
	Indexer() cache.Indexer
	// Rewrite stores a claim deallocated by PostFilter, Remove drops a claim deleted by PostFilter.
	Rewrite(claim *resourceapi.ResourceClaim)
	Remove(claim *resourceapi.ResourceClaim)
}

func simulate(s Simulation, features inventory.Features) (*cluster, error) {
	c, err := newCluster(s.Indexer(), s.State(), features)
	if err != nil {
		return nil, err
	}
	c.simulated = s
	return c, nil
}

// activate makes the scheduler retry pods, by "namespace/name".
func (pl *Plugin) activate(ctx context.Context, pods map[string]*v1.Pod) {
	if pl.cluster.simulated == nil {
		pl.handle.Activate(klog.FromContext(ctx), pods)
	}
}

// Distance returns the distance from a node to the devices found by Filter: 0 if the node has them or
// the pod needs none. Simulations use it to stop once no node can be nearer.
func Distance(cycle fwk.CycleState, node string) int {
	a, err := attemptOf(cycle)
	if err != nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, fit := range slices.Backward(a.fits) {
		if fit.node.Name == node {
			return fit.distance
		}
	}
	return 0
}
