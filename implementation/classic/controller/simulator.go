package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Simulator is what a Driver may be, too, so that autoscalers can ask which nodes would
// serve claims: classic/whatif does. What a driver has is in no ResourceSlice, so that
// nobody else knows (docs/adr/0026).
type Simulator interface {
	// Simulate returns a driver as it is at this moment, in a cluster of these nodes, of which
	// some need not exist. It is asked by one goroutine. What it allocates and deallocates it
	// remembers, and nothing else changes: nothing is taken or freed. It is quick, and fails
	// only for what makes Allocate fail each time.
	Simulate(ctx context.Context, nodes []*corev1.Node) (Driver, error)
}
