package clusters

import (
	"context"
	"fmt"
	"io"
)

// Machine is a node of a running cluster on which one can work; String is its name
// in the cluster.
type Machine interface {
	fmt.Stringer
	// Run runs a command and returns its standard output. The input may be nil.
	Run(ctx context.Context, input io.Reader, args ...string) (string, error)
	// Load gives an image to the node's container runtime, unless it has it.
	Load(ctx context.Context, image ComponentImage) (loaded bool, err error)
}

// Opener is a Provider on whose clusters' nodes one can work.
type Opener interface {
	// Machines are the nodes of a running cluster that the provider made. Errors:
	// ErrEnvironment, or of ctx.
	Machines(ctx context.Context, name string) ([]Machine, error)
}

// Process is a component that runs on this machine without a container.
type Process struct {
	// ID is the one of the operating system.
	ID int
	// URL is where it serves metrics and profiles, to those who have the cluster's
	// credentials.
	URL string
}
