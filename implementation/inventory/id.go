package inventory

import (
	"cmp"
)

// PoolID names a resource pool in a cluster.
type PoolID struct {
	Driver, Pool string
}

// String returns "driver/pool", as Kubernetes writes it in messages.
func (id PoolID) String() string { return id.Driver + "/" + id.Pool }

// Compare sorts by driver, then pool, in the order of allocation.
func (id PoolID) Compare(other PoolID) int {
	return cmp.Or(cmp.Compare(id.Driver, other.Driver), cmp.Compare(id.Pool, other.Pool))
}

// DeviceID names a device in a cluster.
type DeviceID struct {
	Driver, Pool, Device string
}

// PoolID returns the pool that the device is in.
func (id DeviceID) PoolID() PoolID { return PoolID{Driver: id.Driver, Pool: id.Pool} }

// String returns "driver/pool/device", as Kubernetes writes it in messages.
func (id DeviceID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }
