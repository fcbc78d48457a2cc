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

package simulation

import (
	"fmt"
	"math"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// bound is a lower bound on the cost of nodes: each kind alone needs a number of nodes of its most
// cost-effective group, and all kinds together need a number of devices.
func (g *growing) bound() int64 {
	var bound int64
	devices := 0
	shared, err := g.shared()
	if err != nil {
		return 0 // no bound known
	}
	for i := range g.kinds {
		k := &g.kinds[i]
		if k.failed {
			continue
		}
		if cheapest, ok := g.cheapest(k, shared); ok {
			bound = max(bound, roundUp(float64(len(k.pods))*cheapest))
		}
		if g.shape(k.pods[0]) != "" { // do not count claims shared by pods
			devices += len(k.pods) * k.devices
		}
	}
	if len(shared) > 0 { // they may not need devices of new nodes
		devices = 0
	}
	cheapest := math.Inf(1)
	for _, group := range g.groups {
		if published := group.published(); published > 0 {
			cheapest = min(cheapest, float64(group.cost())/float64(published))
		}
	}
	if devices > 0 {
		bound = max(bound, roundUp(float64(devices)*cheapest))
	}
	return bound
}

// shared are the slices reachable from several nodes.
func (g *growing) shared() ([]*resourceapi.ResourceSlice, error) {
	all, err := g.manager.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return nil, fmt.Errorf("list slices: %w", err)
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *resourceapi.ResourceSlice) bool { return s.Spec.NodeName != nil }), nil
}

// cheapest is the minimum cost of a pod of a kind, if known.
func (g *growing) cheapest(k *kind, shared []*resourceapi.ResourceSlice) (cost float64, ok bool) {
	cost = math.Inf(1)
	for i, group := range g.groups {
		most := k.fits[i]
		switch {
		case most == 0:
			continue
		case k.plain && arePlain(group.Slices) && arePlain(shared):
		case k.devices == 0 || len(shared) > 0:
			return 0, false
		default:
			// The first pod's devices may block more devices than the second pod needs.
			most = max(most, group.published()/k.devices)
		}
		cost = min(cost, float64(group.cost())/float64(most))
	}
	return cost, true
}

// roundUp tolerates floating-point errors.
func roundUp(x float64) int64 { return int64(math.Ceil(x - 1e-6)) }

func (g *growing) costOf(counts []int) int64 {
	var cost int64
	for i, n := range counts {
		cost += int64(n) * g.groups[i].cost()
	}
	return cost
}
