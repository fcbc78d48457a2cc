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

package peer

import (
	"context"
	"fmt"
	"time"
	"unique"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/karpenter/pkg/scheduling/dynamicresources"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
)

// Patience is the timeout of karpenter's allocator.
const Patience = 5 * time.Second

// Quiet keeps karpenter from logging.
func Quiet(ctx context.Context) context.Context { return log.IntoContext(ctx, logr.Discard()) }

// Pods calls karpenter's allocator for one pod after the other.
type Pods struct {
	allocator *dynamicresources.Allocator
}

// NewPods returns karpenter's allocator for a cluster. claims are all claims, used the allocated
// ones.
func NewPods(ctx context.Context, slices []*resourceapi.ResourceSlice, classes []*resourceapi.DeviceClass, claims []*resourceapi.ResourceClaim) (*Pods, error) {
	all := newObjects(classes, claims)
	state, err := inUse(ctx, all)
	if err != nil {
		return nil, err
	}
	return &Pods{allocator: dynamicresources.NewAllocator(published(slices), state, nil, all, nil)}, nil
}

// Fits reports whether the claims of a pod fit on a node, without allocating; the devices are nil
// if not. The error is karpenter's reason, or ctx's.
func (a *Pods) Fits(ctx context.Context, at *corev1.Node, claims []*resourceapi.ResourceClaim) (*dynamicresources.AllocationResult, error) {
	started := time.Now()
	result, err := a.allocator.Allocate(ctx, newNode(at), claims)
	if err != nil && (ctx.Err() != nil || time.Since(started) >= Patience) {
		return nil, context.DeadlineExceeded
	}
	if err != nil {
		return nil, fmt.Errorf("karpenter: %w", err)
	}
	return result, nil
}

// take is Fits with allocation, and returns the devices by claim.
func (a *Pods) take(ctx context.Context, at *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	result, err := a.Fits(ctx, at, claims)
	if err != nil {
		return nil, err
	}
	if result.Allocation != nil {
		result.Allocation.Commit(ctx)
	}
	all := make([]resourceapi.AllocationResult, len(claims))
	for i, claim := range claims {
		if of := a.allocator.ResourceClaimAllocationMetadataForClaim(client.ObjectKeyFromObject(claim)); of != nil {
			all[i] = allocation(of.Devices[unique.Make(anyType)])
		}
	}
	return all, nil
}

// Allocator solves the problems of package difftest. It ignores feature gates and history.
type Allocator struct{}

// Solve calls karpenter for each node.
func (Allocator) Solve(ctx context.Context, p *problem.Problem, patience difftest.Patience) []difftest.Answer {
	ctx = Quiet(ctx)
	answers := make([]difftest.Answer, len(p.Nodes))
	for i := range p.Nodes {
		answers[i] = solve(ctx, p, p.Nodes[i].API(), patience(i))
	}
	return answers
}

func solve(ctx context.Context, p *problem.Problem, at *corev1.Node, patience time.Duration) (answer difftest.Answer) {
	defer func() {
		if r := recover(); r != nil {
			answer = difftest.Answer{Kind: difftest.Crash, Err: fmt.Errorf("panic: %v", r)}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asked := pointers(p.Claims)
	pods, err := NewPods(ctx, pointers(p.Slices), pointers(p.Classes), append(pointers(p.Allocated), asked...))
	if err != nil {
		return difftest.Answer{Kind: difftest.Crash, Err: err}
	}
	allocations, err := pods.take(ctx, at, asked)
	switch {
	case err == context.DeadlineExceeded: //nolint:errorlint // it is not wrapped
		return difftest.Answer{Kind: difftest.TooSlow, Err: err}
	case err != nil:
		return difftest.Answer{Kind: difftest.DoesNotFit, Note: err.Error()}
	}
	return difftest.Answer{Kind: difftest.Fits, Allocations: allocations}
}

func pointers[T any](values []T) []*T {
	all := make([]*T, len(values))
	for i := range values {
		all[i] = &values[i]
	}
	return all
}
