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
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Distance ranks how much work it takes to make a device available on a node. Smaller is preferred
// (KEP-5007, "Prioritize Device Allocation").
type Distance int8

// The distances.
const (
	// Local devices are in the node or need no preparation for other reasons.
	Local Distance = iota
	// Attached devices belong to a fabric and are attached to the node, per FabricAttribute.
	Attached
	// Unattached devices have binding conditions.
	Unattached
)

// FabricAttribute marks a local device as detachable; its value is the fabric's name. KEP-5007 prefers
// non-detachable devices but does not define how to tell them apart.
const FabricAttribute resourceapi.QualifiedName = "dra-conformance.github.io/fabric"

func distanceOf(device *resourceapi.Device) Distance {
	if len(device.BindingConditions) > 0 {
		return Unattached
	}
	if _, fabric := device.Attributes[FabricAttribute]; fabric {
		return Attached
	}
	return Local
}

// putAttachedLast sorts attached devices after local ones. Without attached devices the order of pools
// is unchanged.
func (n *Node) putAttachedLast() {
	if !slices.ContainsFunc(n.Devices, func(d *Device) bool { return d.Distance == Attached }) {
		return
	}
	order := make([]int, len(n.Devices))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(n.Devices[a].Distance) - int(n.Devices[b].Distance) })
	devices, poolOf, reached := make([]*Device, len(order)), make([]int, len(order)), []reach(nil)
	if n.reach != nil {
		reached = make([]reach, len(order))
	}
	for i, from := range order {
		devices[i], poolOf[i] = n.Devices[from], n.PoolOf[from]
		if n.reach != nil {
			reached[i] = n.reach[from]
		}
	}
	n.Devices, n.PoolOf, n.reach = devices, poolOf, reached
}
