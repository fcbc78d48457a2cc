package state

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

// Snapshot is the use of all devices at one moment. It is immutable; nil means
// that nothing is in use.
type Snapshot struct{}

// Pool returns the use of a pool's devices, nil if none of them is in use. The
// pointer changes when and only when the use of the pool does.
func (s *Snapshot) Pool(id inventory.PoolID) *PoolUse { panic("not implemented") }

// PoolUse is the use of the devices of one pool. It is immutable; nil means that
// none is in use.
type PoolUse struct {
	// Devices in use, by name. Read only.
	Devices map[string]Use
}

// Device returns the use of a device; the zero Use means it is free.
func (p *PoolUse) Device(name string) Use {
	if p == nil {
		return Use{}
	}
	return p.Devices[name]
}

// Use is what claims have of a device. Allocations with admin access do not count.
type Use struct {
	// Whole: allocated to a claim without a share ID; nobody else can have it.
	Whole bool
	// Shares is the number of allocations with a share ID.
	Shares int
	// Consumed is the capacity that the shares consume together, nil if none.
	Consumed map[resourceapi.QualifiedName]resource.Quantity
}

// Allocated says whether anybody has the device or a share of it, so that it
// consumes its counters.
func (u Use) Allocated() bool { return u.Whole || u.Shares > 0 }
