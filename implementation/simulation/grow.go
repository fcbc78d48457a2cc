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
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// Group are nodes that can be added.
type Group struct {
	Name string `json:"name"`
	// Cost of a node in whatever unit; 0 means 1.
	Cost int64 `json:"cost,omitempty"`
	// Max is how many nodes can be added; 0 means as many as needed.
	Max      int `json:"max,omitempty"`
	Template `json:",inline"`
}

func (g *Group) cost() int64 { return max(1, g.Cost) }

// Validate returns all that is wrong with the group.
func (g *Group) Validate() error {
	var errs []error
	if g.Name == "" {
		errs = append(errs, errors.New("name: it has to be set"))
	}
	if g.Cost < 0 {
		errs = append(errs, errors.New("cost: it must not be negative"))
	}
	if g.Max < 0 {
		errs = append(errs, errors.New("max: it must not be negative"))
	}
	return errors.Join(append(errs, g.Template.Validate())...)
}

// NodeName is what the nodes that are added to a group are called, from 1; numbers
// whose name a node of the cluster has are left out.
func (g *Group) NodeName(number int) string { return fmt.Sprintf("%s-new-%d", g.Name, number) }

// Growth says which nodes pods need.
type Growth struct {
	// Counts are the nodes to add, one number for each group, and Names what they are
	// called in the placements.
	Counts []int
	Names  [][]string
	// Left is how many devices of the new nodes of each group nobody has. Those of which
	// somebody has a share are not among them, those that nobody can have any more are.
	Left []int
	// Refused says of each group why it can have no node beside these, as a pod of a
	// DaemonSet that does not fit; empty if nothing but its limit keeps it from that.
	Refused []string
	// Cost of these nodes.
	Cost int64
	// Bound is what any counts cost at least with which as many pods are placed. Cost is
	// the least if it is the same as Bound, which is so for small problems.
	Bound int64
	// Placements of all pods that were asked for, on old and new nodes, in order.
	Placements []Placement
}

// Unserved returns the pods that have no node.
func (g *Growth) Unserved() []Placement {
	var unserved []Placement
	for _, p := range g.Placements {
		if p.Node == "" {
			unserved = append(unserved, p)
		}
	}
	return unserved
}

// maxCombinations bounds how many counts are tried to find the cheapest ones, and
// maxPlaced how many pods are placed for that.
const (
	maxCombinations = 300
	maxPlaced       = 5_000
)

// Grow says how many nodes of which groups pods need that have no node among those
// that are there. Pods that no group serves are left out of that. Pods are placed in
// their order, each on the first node that fits, new ones group by group. Nothing is
// changed. For a pod whose attempts end in an error on a new node no node is added; it is
// placed where it can be once others are.
//
// For up to maxCombinations combinations of counts the result is the cheapest one with
// which as many pods are placed in that order; in another one fewer nodes may do.
// Beyond that nodes are added one by one, each of the group that serves most for its
// cost, and Bound says how much cheaper something else could be at best.
func (s *Simulation) Grow(ctx context.Context, pods []*v1.Pod, groups []*Group) (*Growth, error) {
	if err := validateGroups(groups); err != nil {
		return nil, err
	}
	s.Fork()
	defer s.Revert()
	now, err := s.Place(ctx, pods)
	if err != nil {
		return nil, err
	}
	g := s.growing(groups, now)
	reasons, err := g.measure(ctx)
	if err != nil {
		return nil, err
	}
	bound := g.bound()
	best, err := g.addNodes(ctx, bound)
	if err != nil {
		return nil, err
	}
	refusals, err := g.refusals(ctx)
	if err != nil {
		return nil, err
	}
	growth := &Growth{Counts: g.counts, Cost: g.costOf(g.counts), Placements: now, Left: g.left(best), Refused: refusals}
	for i, n := range g.counts {
		growth.Names = append(growth.Names, g.namesOf(i, n))
	}
	switch {
	case g.exact:
		growth.Bound = growth.Cost
	case len(best.placed) == len(g.waiting):
		growth.Bound = bound
	}
	for i := range now {
		if now[i].Node != "" {
			continue
		}
		if p, ok := best.placed[now[i].Pod]; ok {
			now[i] = p
		} else if reason, ok := reasons[now[i].Pod]; ok {
			now[i].Reason += reason
		} else {
			now[i].Reason += g.ended(now[i].Pod, refusals)
		}
	}
	return growth, nil
}

// growing is a Grow in which the pods wait that are not placed now.
func (s *Simulation) growing(groups []*Group, now []Placement) *growing {
	g := &growing{
		Simulation: s, groups: groups, kindOf: make(map[*v1.Pod]int), counts: make([]int, len(groups)),
		names: make([][]string, len(groups)), numbers: make([]int, len(groups)), refused: make([]bool, len(groups)),
		old: make(map[string]bool, len(s.nodes.list)), failed: make(map[*v1.Pod]bool),
	}
	for name := range s.nodes.byName {
		g.old[name] = true
	}
	for i := range now {
		if now[i].Node == "" {
			g.waiting = append(g.waiting, now[i].Pod)
			g.failed[now[i].Pod] = now[i].failed
		}
	}
	return g
}

func validateGroups(groups []*Group) error {
	var errs []error
	names := make(map[string]bool)
	for i, group := range groups {
		if err := group.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("groups[%d] (%s): %w", i, group.Name, err))
		}
		if names[group.Name] {
			errs = append(errs, fmt.Errorf("groups[%d]: there is another group %s", i, group.Name))
		}
		names[group.Name] = true
	}
	return errors.Join(errs...)
}

// growing is one Grow.
type growing struct {
	*Simulation
	groups []*Group
	// waiting are the pods that existing nodes do not serve; measure leaves those that
	// a group serves.
	waiting []*v1.Pod
	// failed are those whose attempt on existing nodes ended in an error.
	failed map[*v1.Pod]bool
	kinds  []kind
	kindOf map[*v1.Pod]int
	counts []int
	exact  bool
	tried  int // pods placed so far
	// old are the nodes that are there; names are those of new ones, as many as were asked
	// for, and numbers the last ones that are in names.
	old     map[string]bool
	names   [][]string
	numbers []int
	refused []bool // groups that could not have a node in some trial
}
