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

package compare

import (
	"context"
	"fmt"
	"io"

	"github.com/dra-conformance/dratest/difftest"
	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/implementation/bench/karpenter/peer"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

// Growth is the result of comparing new nodes, by problem.
type Growth struct {
	Problems, Pods int
	// Same: as many pods on as many nodes. More and Fewer refer to our placed pods, or else to our
	// nodes for them.
	Same, MorePods, FewerPods, MoreNodes, FewerNodes int
	// Explained counts FewerPods and MoreNodes by reason.
	Explained map[string]int
	// Order counts those where karpenter's devices of each node suffice for its pods, but its nodes
	// do not suffice for the scheduler's order of pods and devices: with karpenter's nodes a pod
	// would keep waiting.
	Order, Crashes int
	Found          []Found
}

// RunGrowth compares the nodes needed for the pods of random problems, each pod several times,
// starting without nodes.
func RunGrowth(ctx context.Context, config Config) (*Growth, error) {
	growth := &Growth{Explained: make(map[string]int)}
	for i := range config.N {
		if ctx.Err() != nil {
			return growth, fmt.Errorf("compare nodes: %w", ctx.Err())
		}
		number := config.First + uint64(i) //nolint:gosec // N is not negative
		p := generate.Problem(config.Seed, number)
		p.Off, p.History, p.Allocated = nil, nil, nil
		objects, groups := newWorld(p)
		if len(groups) == 0 || lacks(p) {
			continue
		}
		found, err := growth.problem(ctx, config, objects, groups, p)
		if err != nil {
			return growth, fmt.Errorf("problem %d: %w", number, err)
		}
		if found != nil {
			found.Number = number
			growth.Found = append(growth.Found, *found)
		}
	}
	return growth, nil
}

// problem counts one problem, and returns an unexplained difference.
func (g *Growth) problem(ctx context.Context, config Config, objects simulation.Objects, groups []*simulation.Group, p *problem.Problem) (*Found, error) {
	theirs, crash, err := provision(ctx, objects, groups)
	if crash {
		g.Crashes++
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	placed, nodes, err := grow(ctx, objects, groups)
	if err != nil {
		return nil, err
	}
	g.Problems++
	g.Pods += len(objects.Pods)
	switch {
	case placed > theirs.Placed:
		g.MorePods++
		return nil, nil
	case placed < theirs.Placed:
		g.FewerPods++
	case nodes > len(theirs.New):
		g.MoreNodes++
	case nodes < len(theirs.New):
		g.FewerNodes++
		return nil, nil
	default:
		g.Same++
		return nil, nil
	}
	return g.explain(ctx, config, objects, groups, theirs, p)
}

// explain first checks whether karpenter's nodes suffice for the scheduler. If not, it checks each
// node as a separate problem, with all its pods combined and only the devices assigned by
// karpenter.
func (g *Growth) explain(ctx context.Context, config Config, objects simulation.Objects, groups []*simulation.Group, theirs *peer.Growth, p *problem.Problem) (*Found, error) {
	placed, err := placedOn(ctx, objects, groups, theirs)
	if err != nil {
		return nil, err
	}
	if placed >= theirs.Placed {
		return &Found{What: fmt.Sprintf("on karpenter's %d new nodes we place as many pods, and did not say so", len(theirs.New)), Problem: p}, nil
	}
	for _, added := range theirs.New {
		together := &problem.Problem{Nodes: []problem.Node{{Name: added.Group.Node.Name, Labels: added.Group.Node.Labels}}, Classes: p.Classes}
		for _, slice := range added.Group.Slices {
			together.Slices = append(together.Slices, *slice.DeepCopy())
		}
		agreeOnCounts(together) // A template without a count gets the correct one.
		onlyDevices(together, added.Allocations)
		for _, name := range added.Claims {
			for _, claim := range objects.Claims {
				if claim.Name == name.Name && claim.Namespace == name.Namespace {
					together.Claims = append(together.Claims, *claim.DeepCopy())
				}
			}
		}
		own := config.Own.Solve(ctx, together, difftest.For(patient))[0]
		if own.Kind == difftest.Fits {
			continue
		}
		answer := difftest.Answer{Kind: difftest.Fits, Allocations: added.Allocations}
		name, what := config.why(ctx, together, 0, own, answer)
		if what != "" {
			return &Found{Node: added.Group.Name, What: what, Own: own, Karpenter: answer, Problem: together}, nil
		}
		g.Explained[name]++
		return nil, nil
	}
	g.Order++
	return nil, nil
}

// placedOn returns how many pods we place, in the scheduler's order, on karpenter's new nodes.
func placedOn(ctx context.Context, objects simulation.Objects, groups []*simulation.Group, theirs *peer.Growth) (int, error) {
	ctx, cancel := context.WithCancel(ctx) // Stops the plugins' background work.
	defer cancel()
	s, err := simulation.New(ctx, objects, simulation.Config{})
	if err != nil {
		return 0, fmt.Errorf("simulate: %w", err)
	}
	for _, group := range groups {
		number := 0
		for _, added := range theirs.New {
			if added.Group != group {
				continue
			}
			number++
			if err := s.AddNode(ctx, &group.Template, group.NodeName(number)); err != nil {
				return 0, fmt.Errorf("add karpenter's nodes: %w", err)
			}
		}
	}
	placements, err := s.Place(ctx, s.Pending())
	if err != nil {
		return 0, fmt.Errorf("place pods on karpenter's nodes: %w", err)
	}
	return len(placements) - len((&simulation.Growth{Placements: placements}).Unserved()), nil
}

// grow returns how many pods we place on how many new nodes.
func grow(ctx context.Context, objects simulation.Objects, groups []*simulation.Group) (placed, nodes int, err error) {
	ctx, cancel := context.WithCancel(ctx) // Stops the plugins' background work.
	defer cancel()
	s, err := simulation.New(ctx, objects, simulation.Config{})
	if err != nil {
		return 0, 0, fmt.Errorf("simulate: %w", err)
	}
	growth, err := s.Grow(ctx, s.Pending(), groups)
	if err != nil {
		return 0, 0, fmt.Errorf("grow: %w", err)
	}
	for _, n := range growth.Counts {
		nodes += n
	}
	return len(growth.Placements) - len(growth.Unserved()), nodes, nil
}

// provision calls karpenter, recovering from a panic.
func provision(ctx context.Context, objects simulation.Objects, groups []*simulation.Group) (growth *peer.Growth, crash bool, err error) {
	defer func() {
		crash = recover() != nil
	}()
	growth, err = peer.Provision(ctx, objects, groups)
	return growth, false, err //nolint:wrapcheck // it says what
}

// Write prints the result.
func (g *Growth) Write(out io.Writer) error {
	fmt.Fprintf(out, "new nodes for %d problems with %d pods: same %d; ours places more pods %d, needs fewer nodes %d; karpenter places more pods %d, needs fewer nodes %d; crashes %d\n",
		g.Problems, g.Pods, g.Same, g.MorePods, g.FewerNodes, g.FewerPods, g.MoreNodes, g.Crashes)
	for _, reason := range append(Reasons(), Reason{Name: several, Why: "more than one of these together"}) {
		if n := g.Explained[reason.Name]; n > 0 {
			fmt.Fprintf(out, "karpenter places more pods or needs fewer nodes, %d: %s: %s\n", n, reason.Name, reason.Why)
		}
	}
	if g.Order > 0 {
		fmt.Fprintf(out, "karpenter places more pods or needs fewer nodes, %d: it tries pods or devices in another order than the scheduler, which would leave pods without a node there\n", g.Order)
	}
	_, err := fmt.Fprintf(out, "new nodes: %d unexplained\n", len(g.Found))
	return err //nolint:wrapcheck // the reader's terminal
}
