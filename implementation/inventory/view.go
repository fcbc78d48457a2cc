package inventory

import (
	"maps"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
)

// view is a node's part of an inventory together with all it was made of, so that
// other inventories can tell whether they would come to the same.
type view struct {
	result *Node
	err    error

	// local and shared are the slices that were looked at, pools those of which
	// also slices mattered that the node cannot reach.
	local, shared *sliceList
	pools         []*poolSlices

	// node is the last object known to have the same name and labels.
	node atomic.Pointer[corev1.Node]
	// version is that of the last inventory for which all this was checked.
	version atomic.Uint64
}

// sliceList are slices sorted by pool and name. Its address changes when and only
// when its content does.
type sliceList struct {
	slices []*publishedSlice
}

// isFor says whether the view is right for a node.
func (v *view) isFor(node *corev1.Node) bool {
	known := v.node.Load()
	if known == node {
		return true
	}
	if known.Name != node.Name || !maps.Equal(known.Labels, node.Labels) {
		return false
	}
	v.node.Store(node)
	return true
}

// isOf says whether the view is part of an inventory.
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

// newView finds out what a node can reach.
func newView(inv *Inventory, node *corev1.Node) *view {
	v := &view{local: inv.local[node.Name], shared: inv.shared}
	v.node.Store(node)
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
		pool, slices, others := all.seenFrom(reachable[:n], inv.features)
		if others {
			v.pools = append(v.pools, all)
		}
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
