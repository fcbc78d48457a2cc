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

// Group is a kind of node to add.
type Group struct {
	Name string `json:"name"`
	// Cost of a node in any unit; 0 means 1.
	Cost int64 `json:"cost,omitempty"`
	// Max is the maximum number of new nodes; 0 means unlimited.
	Max      int `json:"max,omitempty"`
	Template `json:",inline"`
}

func (g *Group) cost() int64 { return max(1, g.Cost) }

// Validate returns all errors of the group.
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

// NodeName names the group's new nodes, numbered from 1. Numbers with the name of an existing node are
// skipped.
func (g *Group) NodeName(number int) string { return fmt.Sprintf("%s-new-%d", g.Name, number) }

// Growth is the answer of Grow.
type Growth struct {
	// Counts are the nodes to add by group, Names their names in placements.
	Counts []int
	Names  [][]string
	// Left counts the unallocated devices of new nodes by group. Shared devices are not included, devices
	// no claim can use any more are.
	Left []int
	// Refused explains for each group why it cannot have another node besides these, e.g. a DaemonSet pod
	// does not fit. It is empty if only the limit prevents it.
	Refused []string
	// Cost of these nodes.
	Cost int64
	// Bound is a lower bound on the cost for as many placed pods. If Cost equals Bound, it is minimal, as
	// for small problems.
	Bound int64
	// Placements of all pods in order, on old and new nodes.
	Placements []Placement
}

// Unserved returns the pods without a node.
func (g *Growth) Unserved() []Placement {
	var unserved []Placement
	for _, p := range g.Placements {
		if p.Node == "" {
			unserved = append(unserved, p)
		}
	}
	return unserved
}

// maxCombinations and maxPlaced bound the search for the cheapest counts: the combinations tried and
// the pods placed.
const (
	maxCombinations = 300
	maxPlaced       = 5_000
)

// Grow returns the new nodes needed for pods without room on existing nodes. Pods no group can serve
// are ignored. Pods are placed in order on the first fitting node, new ones group by group. Nothing is
// changed. A pod with failing attempts on a new node adds no node; it is placed once other pods allow
// it.
//
// For up to maxCombinations combinations of counts, the result is the cheapest one for as many pods in
// this order; other orders may need fewer nodes. Beyond that nodes are added one by one from the most
// cost-effective group, and Bound limits the possible saving.
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

// growing prepares a Grow; pods not placed now are waiting.
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
	// waiting are the pods without room on existing nodes; measure removes those no group can serve.
	waiting []*v1.Pod
	// failed are pods with a failed attempt on existing nodes.
	failed map[*v1.Pod]bool
	kinds  []kind
	kindOf map[*v1.Pod]int
	counts []int
	exact  bool
	tried  int // pods placed so far
	// old are the existing nodes; names are the names generated so far for new ones, numbers the last
	// number used by group.
	old     map[string]bool
	names   [][]string
	numbers []int
	refused []bool // groups refused a node in some trial
}
