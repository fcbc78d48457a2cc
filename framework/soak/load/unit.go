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

package load

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Unit is a piece of work: pods that come and go with claims of their own.
type Unit struct {
	Kind Kind
	// Variant is the size of its requests, from 0.
	Variant int
	Pods    []Pod
	// Node is the only node for its pods; empty is any.
	Node string
}

// Pod is the life of one pod.
type Pod struct {
	Name string
	// Runs is how long its container runs before it ends by itself, in seconds.
	Runs int
	// Cut is the time from its creation to its deletion in any state; zero means never.
	Cut time.Duration
	// Holds is how long it runs until it is deleted, if it does not end by itself; zero if it does.
	Holds time.Duration
	// Stays keeps the ended pod.
	Stays bool
}

// Generator makes units.
type Generator struct {
	random *rand.Rand
	kinds  []Kind
	made   int
	// held: no pod ends by itself.
	held bool
	// Nodes get units in turns.
	Nodes []string
}

// New returns a generator of units of these kinds.
func New(seed int64, kinds []Kind) *Generator {
	return &Generator{random: rand.New(rand.NewPCG(uint64(seed), 0)), kinds: kinds}
}

// NewHeld returns a generator of units with pods not ending by themselves, as on simulated nodes: a third is deleted
// at a random moment after its creation, the others a while after they run.
func NewHeld(seed int64, kinds []Kind) *Generator {
	g := New(seed, kinds)
	g.held = true
	return g
}

// Lifetimes of pods: a third is deleted at a random moment between creation and running, the others end by
// themselves.
const (
	longest = 6
	cutOff  = 8 * time.Second
)

// Next returns the next unit. The first ones are one of each kind, so even a short soak has all.
func (g *Generator) Next() Unit {
	kind := g.kinds[g.random.IntN(len(g.kinds))]
	if g.made < len(g.kinds) {
		kind = g.kinds[g.made]
	}
	unit := Unit{Kind: kind, Variant: g.random.IntN(max(1, kind.Variants))}
	if len(g.Nodes) > 0 {
		unit.Node = g.Nodes[g.made%len(g.Nodes)]
	}
	pods := 1
	if kind.Shared {
		pods = 2
	}
	for i := range pods {
		pod := Pod{
			Name:  fmt.Sprintf("%s-%d-%d", kind.Name, g.made, i),
			Runs:  1 + g.random.IntN(longest),
			Stays: g.random.IntN(2) == 0,
		}
		if g.random.IntN(3) == 0 {
			pod.Cut = time.Duration(1 + g.random.Int64N(int64(cutOff)))
		} else if g.held {
			pod.Holds = time.Duration(pod.Runs) * time.Second
		}
		unit.Pods = append(unit.Pods, pod)
	}
	g.made++
	return unit
}
