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
	"container/heap"
	"context"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// on selects one node for place.
func on(name string) func(*framework.NodeInfo) bool {
	return func(info *framework.NodeInfo) bool { return info.Node().Name == name }
}

// placed are the pods with a node.
type placed map[*v1.Pod]Placement

// trial is the placement of pods with new nodes, and of the new nodes' own pods.
type trial struct {
	placed placed
	own    []Placement
}

// addNodes sets counts, and exact if nothing cheaper places as many pods. It returns the placements on
// the added nodes.
func (g *growing) addNodes(ctx context.Context, bound int64) (trial, error) {
	counts, goal, err := g.greedy(ctx)
	if err != nil {
		return trial{}, err
	}
	best, counts, err := g.try(ctx, counts)
	if err != nil {
		return trial{}, err
	}
	// Pods move when nodes are added group by group.
	full := make([]bool, len(g.groups)) // groups that can have no more nodes
	for len(best.placed) < goal {
		more := g.more(best.placed, counts, full)
		if more < 0 {
			break
		}
		wanted := slices.Clone(counts)
		wanted[more]++
		found, got, err := g.try(ctx, wanted)
		if err != nil {
			return trial{}, err
		}
		if !slices.Equal(got, wanted) && len(found.placed) <= len(best.placed) {
			full[more] = true // Another group may serve the pod.
			continue
		}
		best, counts = found, got
	}
	g.counts = counts
	if len(best.placed) == len(g.waiting) && g.costOf(counts) <= bound {
		g.exact = true
		return best, nil
	}
	return g.cheaper(ctx, bound, best)
}

// more returns a group serving a pod without a node, -1 if there is none. It skips full groups.
func (g *growing) more(best placed, counts []int, full []bool) int {
	for _, k := range g.kinds {
		for _, pod := range k.pods {
			if _, ok := best[pod]; ok {
				continue
			}
			for i, fits := range k.fits {
				if fits > 0 && !full[i] && g.mayAdd(i, counts) {
					return i
				}
			}
		}
	}
	return -1
}

func (g *growing) mayAdd(group int, counts []int) bool {
	limit := g.groups[group].Max
	return limit == 0 || counts[group] < limit
}

// worth is the value of pods to greedy: the number of devices they need.
func (g *growing) worth(pods placed) int64 {
	var sum int64
	for pod := range pods {
		sum += int64(max(1, g.kinds[g.kindOf[pod]].devices))
	}
	return sum
}

// greedy adds nodes one by one from the most cost-effective group. It returns the counts and the
// number of placed pods.
func (g *growing) greedy(ctx context.Context) (counts []int, served int, err error) {
	g.Fork()
	defer g.Revert()
	counts = make([]int, len(g.groups))
	waiting := g.waiting
	full := make([]bool, len(g.groups)) // groups that can have no more nodes
	last, lastServed := -1, int64(0)
	for len(waiting) > 0 {
		best, bestServed := -1, int64(0)
		if last >= 0 && g.mayAdd(last, counts) {
			// While another node of the same group serves as many, it stays the best.
			best, bestServed = last, lastServed
		} else {
			for i := range g.groups {
				if full[i] || !g.mayAdd(i, counts) {
					continue
				}
				g.Fork()
				n, added, err := g.grown(ctx, i, counts[i]+1, waiting)
				g.Revert()
				if err != nil {
					return nil, 0, err
				}
				full[i] = !added
				if worth := g.worth(n); worth > 0 && (best < 0 || worth*g.groups[best].cost() > bestServed*g.groups[i].cost()) {
					best, bestServed = i, worth
				}
			}
		}
		if best < 0 {
			return counts, served, nil
		}
		g.Fork()
		n, added, err := g.grown(ctx, best, counts[best]+1, waiting)
		if err != nil {
			g.Revert()
			return nil, 0, err
		}
		if !added || best == last && g.worth(n) < lastServed {
			g.Revert()
			full[best] = !added
			last = -1
			continue
		}
		g.Commit()
		counts[best]++
		served += len(n)
		waiting = slices.DeleteFunc(slices.Clone(waiting), func(pod *v1.Pod) bool { _, ok := n[pod]; return ok })
		last, lastServed = best, bestServed
	}
	return counts, served, nil
}

// grown adds a node of a group and places pods on any node. added is false if the group cannot have
// the node.
func (g *growing) grown(ctx context.Context, group, number int, pods []*v1.Pod) (_ placed, added bool, err error) {
	_, refused, err := g.addNode(ctx, &g.groups[group].Template, g.namesOf(group, number)[number-1])
	if refused != "" || err != nil {
		g.refused[group] = true
		return nil, false, err
	}
	all, err := g.placeAll(ctx, pods)
	return all, true, err
}

// try adds nodes group by group, places the waiting pods, and reverts. It returns the number of added
// nodes: a refused group gets no further ones.
func (g *growing) try(ctx context.Context, counts []int) (trial, []int, error) {
	g.Fork()
	defer g.Revert()
	own, added, _, err := g.addAll(ctx, counts)
	if err != nil {
		return trial{}, nil, err
	}
	all, err := g.placeAll(ctx, g.waiting)
	return trial{placed: all, own: own}, added, err
}

// placeAll places pods in order. After a pod without a node it skips equal pods, until PostFilter
// frees something. After a failed attempt it skips them until another pod gets a node.
func (g *growing) placeAll(ctx context.Context, pods []*v1.Pod) (placed, error) {
	all := make(placed)
	full := make(map[int]Placement) // result of a kind without a node
	rewritten := g.manager.Rewritten()
	err := g.inRounds(len(pods), func(i int) (Placement, error) {
		kind := g.kindOf[pods[i]]
		if p, ok := full[kind]; ok {
			return p, nil
		}
		p, err := g.place(ctx, pods[i], nil)
		if err != nil {
			return Placement{}, err
		}
		if now := g.manager.Rewritten(); now != rewritten {
			rewritten = now
			clear(full)
		}
		if p.Node != "" {
			all[pods[i]] = p
			maps.DeleteFunc(full, func(_ int, p Placement) bool { return p.failed })
		} else if len(g.kinds[kind].pods) > 1 {
			full[kind] = p
		}
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	g.tried += len(all)
	return all, nil
}

// cheaper searches for cheaper counts with at least as many placed pods, cheapest first.
func (g *growing) cheaper(ctx context.Context, bound int64, best trial) (trial, error) {
	complete := len(best.placed) == len(g.waiting)
	queue := &combinations{growing: g, counts: [][]int{make([]int, len(g.groups))}}
	for tries := 0; queue.Len() > 0; {
		counts := heap.Pop(queue).([]int)
		cost := g.costOf(counts)
		if complete && cost >= g.costOf(g.counts) {
			break
		}
		if tries++; tries > maxCombinations || g.tried > maxPlaced {
			return best, nil
		}
		if complete && cost < bound {
			queue.grow(counts)
			continue
		}
		found, got, err := g.try(ctx, counts)
		if err != nil {
			return trial{}, err
		}
		if !slices.Equal(got, counts) {
			continue // Its feasible part was tried before; its successors are infeasible, too.
		}
		queue.grow(counts)
		more := len(found.placed) - len(best.placed)
		if more > 0 || more == 0 && g.costOf(counts) < g.costOf(g.counts) {
			best, g.counts = found, counts
			complete = len(best.placed) == len(g.waiting)
		}
	}
	g.exact = true
	return best, nil
}

// combinations is a heap of counts by cost; ties go to the first groups.
type combinations struct {
	*growing
	counts [][]int
}

// grow adds the successors with one more node, each of them once: of the last group with nodes or a
// later one.
func (c *combinations) grow(counts []int) {
	last := 0
	for i, n := range counts {
		if n > 0 {
			last = i
		}
	}
	for i := last; i < len(counts); i++ {
		if counts[i] < c.enough(i) {
			next := slices.Clone(counts)
			next[i]++
			heap.Push(c, next)
		}
	}
}

// enough is the number of nodes of a group for all pods it can serve, with one kind of pods per node.
func (c *combinations) enough(group int) int {
	n := 0
	for _, k := range c.kinds {
		if fits := k.fits[group]; fits > 0 {
			n += (len(k.pods) + fits - 1) / fits
		}
	}
	if limit := c.groups[group].Max; limit > 0 {
		n = min(n, limit)
	}
	return n
}

// Len implements heap.Interface, like the methods below.
func (c *combinations) Len() int { return len(c.counts) }

// Less compares by cost.
func (c *combinations) Less(i, j int) bool {
	a, b := c.costOf(c.counts[i]), c.costOf(c.counts[j])
	return a < b || a == b && slices.Compare(c.counts[i], c.counts[j]) > 0
}

// Swap exchanges two entries.
func (c *combinations) Swap(i, j int) { c.counts[i], c.counts[j] = c.counts[j], c.counts[i] }

// Push adds an entry.
func (c *combinations) Push(counts any) { c.counts = append(c.counts, counts.([]int)) }

// Pop removes the last entry.
func (c *combinations) Pop() any {
	last := c.counts[len(c.counts)-1]
	c.counts = c.counts[:len(c.counts)-1]
	return last
}
