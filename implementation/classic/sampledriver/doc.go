// Package sampledriver is a classic DRA driver to try and to test with: it hands out
// devices that exist only in its state file, one for each claim, on nodes or in a network
// that nodes reach. Parameters are the data of a ConfigMap, or the fields in the spec of any
// other object. It fails where it is told to.
//
// It is the control plane half; "dra-sim driver --classic" prepares its devices on nodes, by
// the handles of allocations. Start at New; cmd/dra-classic-driver runs it.
package sampledriver
