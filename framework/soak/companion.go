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

package soak

import (
	"context"
	"fmt"
	"time"

	"github.com/dra-conformance/dratest/framework/spec"
)

// Companion provides the devices of a soak: programs beside a cluster with simulated nodes, instead of a driver on
// its nodes.
type Companion interface {
	// Name is its field in the summary.
	Name() string
	// Validate returns all problems of its configuration.
	Validate() error
	// Prepare starts the programs, and creates the objects their pods refer to.
	Prepare(ctx context.Context, b *Bed) error
	// Watch returns the programs' auditor.
	Watch(objects *Watcher) Outside
	// Stop stops the programs. It is called even if Prepare has failed.
	Stop() error
}

// Outside is a soak's state outside of the API, which must match the API objects.
type Outside interface {
	// Run audits it until ctx ends.
	Run(ctx context.Context)
	// Settle audits it without pods, after up to patience to come to rest.
	Settle(ctx context.Context, patience time.Duration) error
	// Count returns its statistics, for the summary and as a line for people, and why the soak says too little about it.
	Count() (seen fmt.Stringer, problems []string)
}

// Find returns the client of a companion program for the cluster.
func (b *Bed) Find(ctx context.Context, name spec.Companion) (any, error) {
	for _, c := range b.parts.Companions {
		if c.Name == name {
			return c.Find(ctx, b.Testbed, nil)
		}
	}
	return nil, fmt.Errorf("there is no companion program %q", name)
}
