// Package sampledriver is a classic DRA driver for tests and demos: it allocates devices existing
// only in its state file, one per claim, on nodes or in a network reachable from nodes. Parameters
// are the data of a ConfigMap, or the spec fields of any other object. It can inject failures.
//
// It is the control plane part; "dra-sim driver --classic" prepares its devices on nodes, using the
// handles of allocations. Start at New; cmd/dra-classic-driver runs it.
package sampledriver
