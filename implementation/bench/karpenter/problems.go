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

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/bench/hard"
	"github.com/dra-conformance/dratest/implementation/bench/karpenter/peer"
	"github.com/dra-conformance/dratest/implementation/bench/whatif"
	"github.com/dra-conformance/dratest/implementation/simulation"
)

// outcome is a side's result for a problem.
type outcome struct {
	// placed pods, and the number of their nodes (new ones, if nodes are added).
	placed, nodes int
	// cost is the cost of the new nodes, 0 if none are added.
	cost int64
}

// side solves a problem; the error is errSlow on timeout.
type side func(ctx context.Context) (outcome, error)

var errSlow = errors.New("no answer in time")

// problem is for both sides. Each call of a side starts from scratch.
type problem struct {
	name           string
	own, karpenter side
	// series are problems of growing size: after a timeout, karpenter skips the rest of the series.
	series string
}

// problems are those of bench-allocator supported by karpenter, and the what-if problem with more
// and more nodes.
func problems() []problem {
	var all []problem
	for _, family := range hard.Families() {
		if family.Name == "distinct" {
			continue // Karpenter rejects distinctAttribute.
		}
		for _, size := range family.Sizes {
			all = append(all, hardProblem(family.Name, fmt.Sprint(family.Name, " ", size), family.Build(size)))
		}
	}
	for _, v := range hard.Variants() {
		all = append(all, hardProblem(v.Name, "500 nodes, "+v.Name, hard.Filter500(v)))
	}
	for _, nodes := range []int{0, 50, 100, 200, 500, 1000, 2000} {
		all = append(all, whatIf(nodes))
	}
	return all
}

// hardProblem: one pod, tried on all nodes.
func hardProblem(series, name string, t hard.Task) problem {
	own := hard.Own(t)
	answer := outcome{}
	if t.Fits {
		answer = outcome{placed: 1, nodes: 1}
	}
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: hard.Class}}
	return problem{
		name: name, series: series,
		// Own fails on an unexpected answer.
		own: func(context.Context) (outcome, error) { return answer, own() },
		karpenter: func(ctx context.Context) (outcome, error) {
			ctx = peer.Quiet(ctx)
			pods, err := peer.NewPods(ctx, t.Slices, []*resourceapi.DeviceClass{class}, t.Claims)
			if err != nil {
				return outcome{}, err //nolint:wrapcheck // it says what
			}
			var got outcome
			for _, node := range t.Nodes {
				_, err := pods.Fits(ctx, node, t.Claims)
				if errors.Is(err, context.DeadlineExceeded) {
					return outcome{}, errSlow
				}
				if err == nil {
					got = outcome{placed: 1, nodes: 1}
				}
			}
			return got, nil
		},
	}
}

func whatIf(nodes int) problem {
	objects, groups := whatif.Problem(nodes)
	return problem{
		name: fmt.Sprintf("what-if, %d nodes", nodes), series: "what-if",
		own: func(ctx context.Context) (outcome, error) {
			s, err := simulation.New(ctx, objects, simulation.Config{})
			if err != nil {
				return outcome{}, err //nolint:wrapcheck // it says what
			}
			growth, err := s.Grow(ctx, s.Pending(), groups)
			if err != nil {
				return outcome{}, err //nolint:wrapcheck // it says what
			}
			got := outcome{placed: len(growth.Placements) - len(growth.Unserved()), cost: growth.Cost}
			for _, n := range growth.Counts {
				got.nodes += n
			}
			return got, nil
		},
		karpenter: func(ctx context.Context) (outcome, error) {
			growth, err := peer.Provision(ctx, objects, groups)
			if errors.Is(err, peer.ErrTooSlow) {
				return outcome{}, errSlow
			}
			if err != nil {
				return outcome{}, err //nolint:wrapcheck // it says what
			}
			return outcome{growth.Placed, len(growth.New), growth.Cost}, nil
		},
	}
}

// spread returns the smallest, median and largest ratio.
func spread(ratios []float64) (low, middle, high float64) {
	sorted := slices.Sorted(slices.Values(ratios))
	return sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
}

func timeout(ctx context.Context, limit time.Duration, do side) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}
