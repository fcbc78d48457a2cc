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
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// publishedSlice is a ResourceSlice with all facts independent of a node. It is computed once per
// slice and immutable.
type publishedSlice struct {
	*resourceapi.ResourceSlice
	pool PoolID
	// devices of the slice, empty if it only has counter sets.
	devices []Device
	// hidden slices are invisible to all nodes but count as slices of their pool.
	hidden bool
	// uncounted slices do not even count as slices of their pool.
	uncounted bool
	// countersOnly slices have counter sets; their devices are ignored.
	countersOnly bool

	selection selection
	// perDevice is the selection of each device; nil unless the slice has per-device node selection.
	perDevice []selection
}

func newPublishedSlice(slice *resourceapi.ResourceSlice, features Features, contents *interner) *publishedSlice {
	spec := &slice.Spec
	p := &publishedSlice{
		ResourceSlice: slice,
		pool:          PoolID{Driver: spec.Driver, Pool: spec.Pool.Name},
		selection:     newSelection(spec.NodeName, spec.AllNodes, spec.NodeSelector),
		uncounted:     hasCompatibilityGroups(slice),
		countersOnly:  features.PartitionableDevices && len(spec.SharedCounters) > 0,
	}
	if ptr.Deref(spec.PerDeviceNodeSelection, false) {
		p.perDevice = make([]selection, len(spec.Devices))
		for i := range spec.Devices {
			device := &spec.Devices[i]
			p.perDevice[i] = newSelection(device.NodeName, device.AllNodes, device.NodeSelector)
		}
	}
	p.hidden = p.uncounted ||
		!features.PartitionableDevices && (spec.PerDeviceNodeSelection != nil || len(spec.SharedCounters) > 0) ||
		// A kind of node selection from a later version.
		!p.selection.known() && p.perDevice == nil
	if !p.countersOnly {
		p.devices = make([]Device, len(spec.Devices))
		for i := range spec.Devices {
			device := &spec.Devices[i]
			p.devices[i] = Device{
				ID:       DeviceID{Driver: spec.Driver, Pool: spec.Pool.Name, Device: device.Name},
				Spec:     device,
				Slice:    slice,
				Content:  contents.intern(spec.Driver, device),
				Distance: distanceOf(device),
			}
		}
	}
	return p
}

// hasCompatibilityGroups reports whether a device limits its companions (KEP-5963, alpha). Such
// devices must not be allocated without understanding the groups.
func hasCompatibilityGroups(slice *resourceapi.ResourceSlice) bool {
	for i := range slice.Spec.Devices {
		for _, consumption := range slice.Spec.Devices[i].ConsumesCounters {
			if len(consumption.CompatibilityGroups) > 0 {
				return true
			}
		}
	}
	return false
}

// localTo returns the name of the only node with access to the slice, empty if there may be several.
func (p *publishedSlice) localTo() string { return p.selection.nodeName }

// reachableFrom reports whether the node can reach the slice. With per-device selection, one device
// may suffice.
func (p *publishedSlice) reachableFrom(node *corev1.Node) (bool, error) {
	if p.selection.known() {
		matches, err := p.selection.matches(node)
		if err != nil {
			return false, fmt.Errorf("select nodes of slice %s: %w", p.Name, err)
		}
		return matches, nil
	}
	for i := range p.perDevice {
		matches, err := p.perDevice[i].matches(node)
		if err != nil {
			return false, fmt.Errorf("select nodes of device %s in slice %s: %w", p.Spec.Devices[i].Name, p.Name, err)
		}
		if matches {
			return true, nil
		}
	}
	return false, nil
}

// compareSlices sorts by pool, then name. Names are unique in a cluster; the UID keeps the order
// stable if another slice took over a name.
func compareSlices(a, b *publishedSlice) int {
	return cmp.Or(
		a.pool.Compare(b.pool),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.UID, b.UID),
	)
}
