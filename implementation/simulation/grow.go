package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
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

// NodeName is what the nodes that are added to a group are called, from 1.
func (g *Group) NodeName(number int) string { return fmt.Sprintf("%s-new-%d", g.Name, number) }

// Growth says which nodes pods need.
type Growth struct {
	// Counts are the nodes to add, one number for each group.
	Counts []int
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
// changed.
//
// For up to maxCombinations combinations of counts the result is the cheapest one.
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
	g := &growing{Simulation: s, groups: groups, kindOf: make(map[*v1.Pod]int), counts: make([]int, len(groups))}
	for i, p := range now {
		if p.Node == "" {
			g.waiting = append(g.waiting, pods[i])
		}
	}
	reasons, err := g.measure(ctx)
	if err != nil {
		return nil, err
	}
	bound := g.bound()
	placed, err := g.addNodes(ctx, bound)
	if err != nil {
		return nil, err
	}
	growth := &Growth{Counts: g.counts, Cost: g.costOf(g.counts), Placements: now}
	switch {
	case g.exact:
		growth.Bound = growth.Cost
	case len(placed) == len(g.waiting):
		growth.Bound = bound
	}
	for i := range now {
		if now[i].Node != "" {
			continue
		}
		if p, ok := placed[now[i].Pod]; ok {
			now[i] = p
		} else if reason, ok := reasons[now[i].Pod]; ok {
			now[i].Reason += reason
		} else {
			now[i].Reason += "; all nodes that the groups may have are added"
		}
	}
	return growth, nil
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
	kinds   []kind
	kindOf  map[*v1.Pod]int
	counts  []int
	exact   bool
	tried   int // pods placed so far
}

// kind are pods with the same shape.
type kind struct {
	pods []*v1.Pod
	// fits is how many of them fit a new node of each group that has no other pods.
	fits []int
	// devices is how many devices one of them needs for itself at least, 0 if that is not
	// known.
	devices int
}

// measure finds out how many of each kind fit a node of each group, and returns why not
// for those that fit none.
func (g *growing) measure(ctx context.Context) (map[*v1.Pod]string, error) {
	byShape := make(map[string]int)
	var kinds []kind
	for _, pod := range g.waiting {
		shape := g.shape(pod)
		i, ok := byShape[shape]
		if !ok || shape == "" {
			i = len(kinds)
			kinds = append(kinds, kind{})
			byShape[shape] = i
		}
		kinds[i].pods = append(kinds[i].pods, pod)
	}
	reasons := make(map[*v1.Pod]string)
	served := make(map[*v1.Pod]bool)
	for _, k := range kinds {
		any, reason := false, ""
		for _, group := range g.groups {
			fits, devices, why, err := g.fits(ctx, group, k.pods)
			if err != nil {
				return nil, err
			}
			k.fits = append(k.fits, fits)
			if fits > 0 && (!any || devices < k.devices) {
				k.devices = devices
			}
			any = any || fits > 0
			if fits == 0 {
				reason += fmt.Sprintf("; a node of group %s: %s", group.Name, why)
			}
		}
		for _, pod := range k.pods {
			served[pod] = any
			if !any {
				reasons[pod] = reason
			}
		}
		if any {
			for _, pod := range k.pods {
				g.kindOf[pod] = len(g.kinds)
			}
			g.kinds = append(g.kinds, k)
		}
	}
	var left []*v1.Pod
	for _, pod := range g.waiting {
		if served[pod] {
			left = append(left, pod)
		}
	}
	g.waiting = left
	return reasons, nil
}

// fits returns how many of equal pods fit a new node of a group, how many devices the
// first of them needs, and why no more fit.
func (g *growing) fits(ctx context.Context, group *Group, pods []*v1.Pod) (n, devices int, why string, err error) {
	g.Fork()
	defer g.Revert()
	name := group.NodeName(1)
	if err := g.AddNode(ctx, &group.Template, name); err != nil {
		return 0, 0, err.Error(), nil //nolint:nilerr // The group serves nobody.
	}
	alternatives := g.hasAlternatives(pods[0])
	for _, pod := range pods {
		p, err := g.place(ctx, pod, on(name))
		if err != nil {
			return 0, 0, "", err
		}
		if p.Node == "" {
			return n, devices, p.why(), nil
		}
		if n == 0 && !alternatives {
			devices = p.ownDevices(group.pools(name))
		}
		n++
	}
	return n, devices, "", nil
}

// ownDevices counts the devices of some pools that nobody else can have.
func (p *Placement) ownDevices(pools map[poolID]bool) int {
	n := 0
	for _, claim := range p.Claims {
		if len(claim.Status.ReservedFor) > 1 {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if pools[poolID{r.Driver, r.Pool}] && r.ShareID == nil && !ptr.Deref(r.AdminAccess, false) {
				n++
			}
		}
	}
	return n
}

// bound is what the nodes cost at least. Each kind alone needs so many of the groups
// that serve it best for their cost, and all kinds need so many devices.
func (g *growing) bound() int64 {
	var bound int64
	devices := 0
	for _, k := range g.kinds {
		cheapest := math.Inf(1)
		for i, group := range g.groups {
			if k.fits[i] > 0 {
				cheapest = min(cheapest, float64(group.cost())/float64(k.fits[i]))
			}
		}
		bound = max(bound, roundUp(float64(len(k.pods))*cheapest))
		if g.shape(k.pods[0]) != "" { // Claims that pods share are not counted.
			devices += len(k.pods) * k.devices
		}
	}
	cheapest := math.Inf(1)
	for _, group := range g.groups {
		published := 0
		for _, slice := range group.Slices {
			published += len(slice.Spec.Devices)
		}
		if published > 0 {
			cheapest = min(cheapest, float64(group.cost())/float64(published))
		}
	}
	if devices > 0 {
		bound = max(bound, roundUp(float64(devices)*cheapest))
	}
	return bound
}

// roundUp leaves room for what floating point adds.
func roundUp(x float64) int64 { return int64(math.Ceil(x - 1e-6)) }

func (g *growing) costOf(counts []int) int64 {
	var cost int64
	for i, n := range counts {
		cost += int64(n) * g.groups[i].cost()
	}
	return cost
}
