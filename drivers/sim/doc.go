// Package sim is dra-sim's agent: one process per node that hosts any number of
// driver instances, each a complete DRA driver of its own for the kubelet.
//
// Nothing here decides what containers see (package inject), how an instance
// misbehaves (package script) or what the fabric of its devices says (package
// fabric); cases talk to the agent through package client.
//
// Start with Agent; instance.go has the life of one driver, control.go the
// gRPC endpoint.
package sim
