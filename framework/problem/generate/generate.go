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

package generate

import (
	"math/rand/v2"

	"github.com/dra-conformance/dratest/framework/problem"
)

// generator makes one problem. Its methods add to it in the order of Problem.
type generator struct {
	*rand.Rand
	knobs [numKnobs]bool
	p     *problem.Problem
	// drivers lists the drivers with devices.
	drivers []string
	// stored requires objects to be valid for an API server.
	stored bool
}

// Problem returns a problem by its number in the sequence of a seed. It depends only on its
// arguments.
func Problem(seed, number uint64) *problem.Problem {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, number)), p: &problem.Problem{}}
	g.turnKnobs()
	g.addNodes()
	g.addPools()
	g.breakPools()
	g.addClasses()
	g.addUse()
	g.addClaims()
	g.addFuture()
	g.addHistory()
	g.Shuffle(len(g.p.Slices), func(i, j int) { g.p.Slices[i], g.p.Slices[j] = g.p.Slices[j], g.p.Slices[i] })
	return g.p
}

// chance returns true with a probability in percent.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// between returns a number from low to high, both included.
func (g *generator) between(low, high int) int {
	if high <= low {
		return low
	}
	return low + g.IntN(high-low+1)
}

func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// some returns at least one and at most all of the values, in their order.
func some[T any](g *generator, values []T) []T {
	n := g.between(1, len(values))
	left := len(values)
	var chosen []T
	for _, value := range values {
		if g.IntN(left) < n-len(chosen) {
			chosen = append(chosen, value)
		}
		left--
	}
	return chosen
}
