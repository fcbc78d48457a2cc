// Package pools has the cases for pool status requests (KEP-5677), answered by a controller of
// kube-controller-manager: total, allocated and available devices.
//
// The API is off by default. The cases need no scheduler: they write allocations themselves.
package pools
