// Package eviction has cases about device taints that end the pods which use the
// devices (KEP-5055).
package eviction
