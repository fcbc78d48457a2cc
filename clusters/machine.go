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

// Machine is a node of a running cluster with command access; String is its name in the cluster.
type Machine interface {
	fmt.Stringer
	// Run runs a command and returns its standard output. The input may be nil.
	Run(ctx context.Context, input io.Reader, args ...string) (string, error)
	// Load imports an image into the node's container runtime if it is missing.
	Load(ctx context.Context, image ComponentImage) (loaded bool, err error)
}

// Opener is a Provider with command access to its nodes.
type Opener interface {
	// Machines returns the nodes of a running cluster made by the provider. Errors: ErrEnvironment, or of ctx.
	Machines(ctx context.Context, name string) ([]Machine, error)
}

// Process is a component running on this machine without a container.
type Process struct {
	// ID is the one of the operating system.
	ID int
	// URL serves metrics and profiles, with the cluster's credentials.
	URL string
}
