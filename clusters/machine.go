/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

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
