package inventory

import (
	resourceapi "k8s.io/api/resource/v1"
)

// Pool is one generation of a resource pool as seen from a node.
type Pool struct {
	ID PoolID
	// Incomplete: fewer or more slices than announced are there. Such a pool has
	// no devices; a request for all devices must wait for it.
	Incomplete bool
	// Invalid says why the pool cannot be used (duplicate device or counter set
	// names, counters that do not exist), empty if it can.
	Invalid string
	// Counters are the shared counters of the pool, by set and name. nil if there
	// are none.
	Counters map[string]map[string]resourceapi.Counter
	// Consumers are all devices of the pool that consume counters, also those that
	// this node cannot reach, by name: what they use when allocated is missing on
	// every node. nil if there are none.
	Consumers map[string]*Device
}
