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
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Node is the view of one node. It is immutable.
type Node struct {
	// Name of the node.
	Name string
	// Pools with at least one slice for this node, in allocation order: by driver, then pool, pools with
	// binding conditions last.
	Pools []*Pool
	// Devices of the complete, valid pools in allocation order: by pool, then slice name, then position in
	// the slice. If some are attached from a fabric, distance comes first. Devices of slices with
	// per-device node selection are listed even if their selection does not match this node; see
	// Reachable.
	Devices []*Device
	// PoolOf[i] is the index in Pools of Devices[i]'s pool.
	PoolOf []int

	// reach[i] is the reachability of Devices[i]; nil if all are reachable.
	reach []reach
}

// reach is the result of a per-device selection.
type reach struct {
	no  bool
	err error
}

// Reachable reports whether the node matches the selection of Devices[i] in a slice with
// PerDeviceNodeSelection. It is true for all other devices. An error means the device's node selector
// does not parse.
func (n *Node) Reachable(i int) (bool, error) {
	if n.reach == nil {
		return true, nil
	}
	return !n.reach[i].no && n.reach[i].err == nil, n.reach[i].err
}

// visiblePool is a pool and its slices usable by a node.
type visiblePool struct {
	*Pool
	slices []*publishedSlice
}

// hasBindingConditions reports whether a list is present. An empty list counts, as in Kubernetes.
func (p *visiblePool) hasBindingConditions() bool {
	if !p.Usable() {
		return false
	}
	for _, slice := range p.slices {
		for i := range slice.devices {
			if slice.devices[i].Spec.BindingConditions != nil {
				return true
			}
		}
	}
	return false
}

// newNode sorts pools from ID order into allocation order.
func newNode(node *corev1.Node, pools []visiblePool) *Node {
	n := &Node{Name: node.Name}
	if len(pools) == 0 {
		return n
	}
	var last []visiblePool
	ordered := make([]visiblePool, 0, len(pools))
	devices := 0
	for _, pool := range pools {
		if pool.hasBindingConditions() {
			last = append(last, pool)
		} else {
			ordered = append(ordered, pool)
		}
		if pool.Usable() {
			for _, slice := range pool.slices {
				devices += len(slice.devices)
			}
		}
	}
	ordered = append(ordered, last...)

	n.Pools = make([]*Pool, 0, len(ordered))
	n.Devices = make([]*Device, 0, devices)
	n.PoolOf = make([]int, 0, devices)
	for i, pool := range ordered {
		n.Pools = append(n.Pools, pool.Pool)
		if !pool.Usable() {
			continue
		}
		for _, slice := range pool.slices {
			n.addDevices(node, slice, i, devices)
		}
	}
	n.putAttachedLast()
	return n
}

func (n *Node) addDevices(node *corev1.Node, slice *publishedSlice, pool, total int) {
	for i := range slice.devices {
		n.Devices = append(n.Devices, &slice.devices[i])
		n.PoolOf = append(n.PoolOf, pool)
		if slice.perDevice == nil {
			continue
		}
		matches, err := slice.perDevice[i].matches(node)
		if err != nil {
			err = fmt.Errorf("select nodes of device %s: %w", slice.devices[i].ID, err)
		}
		if !matches {
			if n.reach == nil {
				n.reach = make([]reach, total)
			}
			n.reach[len(n.Devices)-1] = reach{no: err == nil, err: err}
		}
	}
}
