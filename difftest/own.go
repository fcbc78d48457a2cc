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

package difftest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/celeval"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

// Own is this project's allocator with its dependencies: inventory, state, CEL. It is not safe for
// concurrent use.
type Own struct {
	// MaxSteps limits the search on a node; 0 means the allocator's default.
	MaxSteps int

	cache *celeval.Cache
}

// NewOwn returns this project's allocator.
func NewOwn() *Own {
	// Each problem brings new devices, so few results are worth caching; a small cache also tests
	// eviction.
	return &Own{cache: celeval.New(celeval.Config{Results: 5000})}
}

// Solve runs this project's allocator.
func (o *Own) Solve(ctx context.Context, p *problem.Problem, patience Patience) (answers []Answer) {
	defer func() {
		if r := recover(); r != nil {
			answers = failEverywhere(p, Crash, fmt.Errorf("panic: %v\n%s", r, shortStack()))
		}
	}()
	features, err := features(p)
	if err != nil {
		return failEverywhere(p, Crash, err)
	}
	nodes := make([]*corev1.Node, len(p.Nodes))
	for i := range p.Nodes {
		nodes[i] = p.Nodes[i].API()
	}
	inv := published(features, p, nodes)
	used := inUse(p)
	claims := make([]*resourceapi.ResourceClaim, len(p.Claims))
	for i := range p.Claims {
		claims[i] = &p.Claims[i]
	}
	demand, err := allocator.NewDemand(claims, allocator.Config{
		Features: features,
		Class:    classes(p.Classes).Get,
		Compile:  func(expression string) allocator.Selector { return o.cache.Compile(expression) },
		MaxSteps: o.MaxSteps,
	})
	if err != nil {
		return failEverywhere(p, PodError, err)
	}
	answers = make([]Answer, len(p.Nodes))
	for i := range p.Nodes {
		answers[i] = solve(ctx, inv, nodes[i], demand, used, patience(i))
	}
	return answers
}

func solve(ctx context.Context, inv *inventory.Inventory, at *corev1.Node, demand *allocator.Demand, used *state.Snapshot, patience time.Duration) (answer Answer) {
	defer guard(&answer)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	node, err := inv.Node(at)
	if err != nil {
		return Answer{Kind: PodError, Err: err}
	}
	result, err := allocator.Allocate(ctx, allocator.Problem{Demand: demand, Node: node, Used: used})
	switch {
	case errors.Is(err, allocator.ErrTooHard), err != nil && ctx.Err() != nil:
		return Answer{Kind: TooSlow, Err: err}
	case errors.Is(err, allocator.ErrThisNode):
		return Answer{Kind: NodeError, Err: err}
	case err != nil:
		return Answer{Kind: PodError, Err: err}
	case !result.Fits():
		reason := result.Reason()
		if reason == nil {
			return Answer{Kind: Crash, Err: errors.New("does not fit, but there is no reason")}
		}
		return Answer{Kind: DoesNotFit, Note: reason.String()}
	}
	shares := 0
	return Answer{Kind: Fits, Allocations: result.Allocations(func() types.UID {
		shares++
		return types.UID(fmt.Sprintf("share-%d", shares))
	})}
}

// features returns the features that a problem does not switch off.
func features(p *problem.Problem) (inventory.Features, error) {
	f := inventory.AllFeatures()
	gates := map[string]*bool{
		"AdminAccess":             &f.AdminAccess,
		"PrioritizedList":         &f.PrioritizedList,
		"PartitionableDevices":    &f.PartitionableDevices,
		"DeviceTaints":            &f.DeviceTaints,
		"DeviceBindingAndStatus":  &f.DeviceBindingAndStatus,
		"ConsumableCapacity":      &f.ConsumableCapacity,
		"FractionalCapacityRange": &f.FractionalCapacityRange,
	}
	for _, name := range p.Off {
		gate, ok := gates[name]
		if !ok {
			return f, fmt.Errorf("feature %q is not known", name)
		}
		*gate = false
	}
	return f, nil
}

// published is the inventory of the problem's slices, after those of its history.
func published(features inventory.Features, p *problem.Problem, nodes []*corev1.Node) *inventory.Inventory {
	all := make([]*resourceapi.ResourceSlice, len(p.Slices))
	for i := range p.Slices {
		all[i] = &p.Slices[i]
	}
	inv := inventory.New(features)
	if p.History != nil && len(p.History.Slices) > 0 {
		var earlier []*resourceapi.ResourceSlice
		for _, slice := range all {
			if slices.Contains(p.History.Slices, slice.Name) {
				earlier = append(earlier, slice)
			}
		}
		inv = inv.With(earlier)
		for _, node := range nodes {
			// Historic slices must not be visible any more; their errors do not matter.
			_, _ = inv.Node(node)
		}
	}
	return inv.With(all)
}

// inUse is the state after all historic claims came and went.
func inUse(p *problem.Problem) *state.Snapshot {
	s := state.New()
	if p.History != nil {
		for i := range p.History.Released {
			s.Set(&p.History.Released[i])
		}
		s.Snapshot()
	}
	for i := range p.Allocated {
		s.Set(&p.Allocated[i])
	}
	if p.History != nil {
		for i := range p.History.Released {
			s.Delete(p.History.Released[i].UID)
		}
	}
	return s.Snapshot()
}

// shortStack is this project's part of the stack.
func shortStack() string {
	var own []string
	for line := range strings.Lines(string(debug.Stack())) {
		if (strings.Contains(line, "implementation/") || strings.Contains(line, "difftest/")) && strings.HasPrefix(line, "\t") && len(own) < 12 {
			own = append(own, strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(own, "\n")
}
