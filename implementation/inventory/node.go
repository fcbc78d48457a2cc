package inventory

// Node is what one node can reach. It is immutable.
type Node struct {
	// Name of the node.
	Name string
	// Pools with at least one slice for this node, in the order of allocation:
	// sorted by driver, then pool, those with binding conditions last.
	Pools []*Pool
	// Devices of the complete, valid pools in the order of allocation: pool by
	// pool, slices by name, devices as in the slice. Devices of slices that select
	// nodes per device are listed even where their own selection does not match
	// this node; see Reachable.
	Devices []*Device
	// PoolOf[i] is the index in Pools of Devices[i]'s pool.
	PoolOf []int
}

// Reachable says whether the selection of a single device in a slice with
// PerDeviceNodeSelection matches; it is true for all other devices. The error says
// that the device's node selector cannot be parsed. i is an index into Devices.
func (n *Node) Reachable(i int) (bool, error) {
	panic("not implemented")
}
