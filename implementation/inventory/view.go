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

package inventory

import (
	"maps"
	"sync/atomic"
	"weak"

	corev1 "k8s.io/api/core/v1"
)

// view is a node's part of an inventory and its inputs. Other inventories compare the inputs to decide
// whether the view is still valid.
type view struct {
	result *Node
	err    error

	// local and shared are the slices evaluated, pools the pools of those slices: unreachable slices
	// matter, too.
	local, shared *sliceList
	pools         []*poolSlices

	// node is the object used to create the view, labels are its labels.
	node   weak.Pointer[corev1.Node]
	labels map[string]string
	// version is that of the last inventory with a successful check.
	version atomic.Uint64
}

// sliceList is sorted by pool and name. Equal addresses mean equal content and vice versa.
type sliceList struct {
	slices []*publishedSlice
}

// forNode returns the view for a node of the same name, nil if its labels differ.
func (v *view) forNode(node *corev1.Node, table *viewTable) *view {
	if v.node.Value() == node {
		return v
	}
	if !maps.Equal(v.labels, node.Labels) {
		return nil
	}
	same := &view{
		result: v.result, err: v.err, local: v.local, shared: v.shared, pools: v.pools,
		node: weak.Make(node), labels: node.Labels,
	}
	same.version.Store(v.version.Load())
	table.put(node, same)
	return same
}

// isOf reports whether the view is valid for an inventory.
func (v *view) isOf(inv *Inventory, nodeName string) bool {
	if v.version.Load() == inv.version {
		return true
	}
	if v.shared != inv.shared || v.local != inv.local[nodeName] {
		return false
	}
	for _, pool := range v.pools {
		if inv.pools[pool.id] != pool {
			return false
		}
	}
	v.version.Store(inv.version)
	return true
}

// newView computes a node's view.
func newView(inv *Inventory, node *corev1.Node) *view {
	v := &view{
		local: inv.local[node.Name], shared: inv.shared,
		node: weak.Make(node), labels: node.Labels,
	}
	v.version.Store(inv.version)

	reachable, err := reachableSlices(v.local, v.shared, node)
	if err != nil {
		v.err = err
		return v
	}
	var pools []visiblePool
	for len(reachable) > 0 {
		id, n := reachable[0].pool, 1
		for n < len(reachable) && reachable[n].pool == id {
			n++
		}
		all := inv.pools[id]
		// Even a fully reachable pool may get slices on other nodes.
		v.pools = append(v.pools, all)
		pool, slices := all.seenFrom(reachable[:n], inv.features)
		if pool != nil {
			pools = append(pools, visiblePool{Pool: pool, slices: slices})
		}
		reachable = reachable[n:]
	}
	v.result = newNode(node, pools)
	return v
}

// reachableSlices merges the sorted lists.
func reachableSlices(local, shared *sliceList, node *corev1.Node) ([]*publishedSlice, error) {
	var own []*publishedSlice
	if local != nil {
		own = local.slices
	}
	if len(shared.slices) == 0 {
		return own, nil
	}
	result := make([]*publishedSlice, 0, len(own)+8)
	for _, slice := range shared.slices {
		for len(own) > 0 && compareSlices(own[0], slice) < 0 {
			result = append(result, own[0])
			own = own[1:]
		}
		matches, err := slice.reachableFrom(node)
		if err != nil {
			return nil, err
		}
		if matches {
			result = append(result, slice)
		}
	}
	return append(result, own...), nil
}
