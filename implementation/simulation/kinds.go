package simulation

import (
	"context"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// kind are pods with the same shape.
type kind struct {
	pods []*v1.Pod
	// fits is how many of them fit a new node of each group that has no other pods.
	fits []int
	// devices is how many devices one of them needs for itself at least, 0 if that is not
	// known.
	devices int
	// failed: an attempt to place one ended in an error. It may not once others are there, so
	// that fits is not all that can be.
	failed bool
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
		for i, group := range g.groups {
			fits, devices, last, err := g.fits(ctx, i, k.pods)
			if err != nil {
				return nil, err
			}
			k.fits = append(k.fits, fits)
			k.failed = k.failed || last.failed
			if fits > 0 && (!any || devices < k.devices) {
				k.devices = devices
			}
			any = any || fits > 0
			if fits == 0 {
				reason += fmt.Sprintf("; a node of group %s: %s", group.Name, last.why())
			}
		}
		for _, pod := range k.pods {
			served[pod] = any || k.failed
			if !any {
				reasons[pod] = reason
			}
		}
		if any || k.failed {
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
// first of them needs, and what the first that does not fit got.
func (g *growing) fits(ctx context.Context, index int, pods []*v1.Pod) (n, devices int, last Placement, err error) {
	g.Fork()
	defer g.Revert()
	group, name := g.groups[index], g.namesOf(index, 1)[0]
	_, refused, err := g.addNode(ctx, &group.Template, name)
	if err != nil {
		return 0, 0, Placement{}, err
	}
	if refused != "" {
		g.refused[index] = true
		return 0, 0, Placement{Reason: refused}, nil // The group serves nobody.
	}
	alternatives := g.hasAlternatives(pods[0])
	for _, pod := range pods {
		p, err := g.place(ctx, pod, on(name))
		if err != nil {
			return 0, 0, Placement{}, err
		}
		if p.Node == "" {
			p.why() // Later the nodes are others.
			return n, devices, p, nil
		}
		if n == 0 && !alternatives {
			devices = p.ownDevices(group.pools(name))
		}
		n++
	}
	return n, devices, Placement{}, nil
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
		if k.failed {
			continue
		}
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
