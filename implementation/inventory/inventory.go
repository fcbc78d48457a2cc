package inventory

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Inventory is all published devices at one moment. It is immutable and safe for
// concurrent use; With makes the next one and shares with it all that has not
// changed.
type Inventory struct {
	features Features
}

// New returns an inventory without devices.
func New(features Features) *Inventory {
	return &Inventory{features: features}
}

// With returns the inventory of exactly these slices, in any order, with the
// taints of DeviceTaintRules applied already. A slice with the same address as
// before counts as unchanged; if all are unchanged the receiver is returned.
// Cost is one map look-up for each unchanged slice plus work for changed ones.
func (inv *Inventory) With(slices []*resourceapi.ResourceSlice) *Inventory {
	panic("not implemented")
}

// Node returns what a node can reach. The result is remembered until a slice that
// matters to the node changes, or the node's name or labels do. The error says
// which slice or device has a node selector that cannot be parsed; the node cannot
// be used then.
func (inv *Inventory) Node(node *corev1.Node) (*Node, error) {
	panic("not implemented")
}
