// Package pools holds the cases of requests for the status of pools (KEP-5677), which a
// controller of kube-controller-manager answers: how many devices there are, how many of
// them are allocated, and what is left. One case per file, named after what happens.
//
// The API is off by default. The cases need no scheduler: they write allocations themselves.
package pools
