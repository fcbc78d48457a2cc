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

package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Simulator is an optional interface of a Driver to let autoscalers find nodes for claims, with
// classic/whatif. A driver's resources are in no ResourceSlice, so only the driver knows
// (docs/adr/0026).
type Simulator interface {
	// Simulate returns a copy of the driver's current state, in a cluster of these nodes, some of
	// them hypothetical. A single goroutine uses it. It remembers its allocations and
	// deallocations, without any other effect. It is fast, and fails only where Allocate always
	// fails.
	Simulate(ctx context.Context, nodes []*corev1.Node) (Driver, error)
}
