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

package simulation

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// namesOf returns the names of the first n new nodes of a group.
func (g *growing) namesOf(group, n int) []string {
	for len(g.names[group]) < n {
		g.numbers[group]++
		if name := g.groups[group].NodeName(g.numbers[group]); !g.old[name] {
			g.names[group] = append(g.names[group], name)
		}
	}
	return g.names[group][:n:n]
}

// addAll adds nodes group by group. It returns the placements of the nodes' own pods, the number of
// added nodes, and for each group the reason why it has no further node. A refused group is not tried
// again.
func (g *growing) addAll(ctx context.Context, counts []int) (own []Placement, added []int, refused []string, err error) {
	added, refused = make([]int, len(counts)), make([]string, len(counts))
	for i, group := range g.groups {
		for _, name := range g.namesOf(i, counts[i]) {
			var placements []Placement
			if placements, refused[i], err = g.addNode(ctx, &group.Template, name); err != nil {
				return nil, nil, nil, err
			}
			if refused[i] != "" {
				g.refused[i] = true
				break
			}
			own = append(own, placements...)
			added[i]++
		}
	}
	return own, added, refused, nil
}

// refusals explains for each group why it cannot have a node besides the answer's; empty if it can or
// if only its limit prevents it.
func (g *growing) refusals(ctx context.Context) ([]string, error) {
	why := make([]string, len(g.groups))
	for i := range g.groups {
		if !g.refused[i] || !g.mayAdd(i, g.counts) {
			continue
		}
		wanted := slices.Clone(g.counts)
		wanted[i]++
		g.Fork()
		_, _, refused, err := g.addAll(ctx, wanted)
		g.Revert()
		if err != nil {
			return nil, err
		}
		why[i] = refused[i]
	}
	return why, nil
}

// ended explains why a pod served by some group got no node.
func (g *growing) ended(pod *v1.Pod, refusals []string) string {
	refused := false
	for i, fits := range g.kinds[g.kindOf[pod]].fits {
		if fits == 0 || !g.mayAdd(i, g.counts) {
			continue
		}
		if refusals[i] == "" {
			return "; no further node was found to serve it beside the others"
		}
		refused = true
	}
	if refused {
		return "; all nodes that the groups can have are added"
	}
	return "; all nodes that the groups may have are added"
}

// left counts the unallocated devices of new nodes by group.
func (g *growing) left(t trial) []int {
	left := make([]int, len(g.groups))
	groupOf := make(map[poolID]int)
	for i, group := range g.groups {
		for _, name := range g.namesOf(i, g.counts[i]) {
			for _, slice := range group.Instance(name).Slices {
				groupOf[poolOf(slice)] = i
				left[i] += len(slice.Spec.Devices)
			}
		}
	}
	type device struct {
		pool poolID
		name string
	}
	had := make(map[device]bool)
	have := func(p Placement) {
		for _, claim := range p.Claims {
			for _, r := range claim.Status.Allocation.Devices.Results {
				d := device{poolID{r.Driver, r.Pool}, r.Device}
				i, added := groupOf[d.pool]
				if !added || had[d] || ptr.Deref(r.AdminAccess, false) {
					continue
				}
				had[d] = true
				left[i]--
			}
		}
	}
	for _, p := range t.own {
		have(p)
	}
	for _, p := range t.placed {
		have(p)
	}
	return left
}
