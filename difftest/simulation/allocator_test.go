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

package simulation_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem/generate"
	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/celeval"
	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/simulation"
	"github.com/dra-conformance/dratest/implementation/state"
)

var (
	problems = flag.Uint64("problems", 300, "how many random problems TestAgainstTheAllocator does")
	first    = flag.Uint64("first", 0, "number of the first one")
	seed     = flag.Uint64("seed", 1, "seed of the problems")
)

// twin is the slow twin of a simulation: for each pod it rebuilds everything from objects and calls
// the allocator, without plugin, manager, undo and memory.
type twin struct {
	simulation.Objects
	cache *celeval.Cache
}

// place returns node and devices of a pod with one claim, "" if it does not fit. After an error, e.g.
// a selector failing on a device, the scheduler retries the pod and may place it once other pods have
// other devices.
func (w *twin) place(t *testing.T, claim *resourceapi.ResourceClaim) (string, error) {
	used := state.New()
	for _, c := range w.Claims {
		used.Set(c)
	}
	inv := inventory.New(inventory.AllFeatures()).With(w.Slices)
	demand, err := allocator.NewDemand([]*resourceapi.ResourceClaim{claim}, allocator.Config{
		Features: inventory.AllFeatures(),
		Class: func(name string) (*resourceapi.DeviceClass, error) {
			for _, class := range w.Classes {
				if class.Name == name {
					return class, nil
				}
			}
			return nil, errors.New("no such class")
		},
		Compile: func(expression string) allocator.Selector { return w.cache.Compile(expression) },
	})
	if err != nil {
		return "", nil //nolint:nilerr // The pod waits for another claim, so the attempt did not fail.
	}
	var fits []fit
	for _, node := range w.Nodes {
		reachable, err := inv.Node(node)
		if err != nil {
			continue
		}
		result, err := allocator.Allocate(t.Context(), allocator.Problem{Demand: demand, Node: reachable, Used: used.Snapshot()})
		if errors.Is(err, allocator.ErrInvalidPools) || errors.Is(err, allocator.ErrTooHard) {
			continue
		}
		if err != nil {
			return "", err
		}
		if !result.Fits() {
			continue
		}
		n := 0
		allocation := result.Allocations(func() types.UID { n++; return types.UID(fmt.Sprint(claim.Name, "-", n)) })[0]
		fits = append(fits, fit{node.Name, &allocation, scoreOf(claim, &allocation), result.Distance()})
		if result.Distance() == 0 && !hasList(claim) {
			break // Skip the other nodes.
		}
	}
	if len(fits) == 0 {
		return "", nil
	}
	best := preferred(fits, hasList(claim))
	allocated := claim.DeepCopy()
	allocated.Status.Allocation = best.allocation
	w.Claims = append(w.Claims, allocated)
	return best.node + ": " + devices(allocated), nil
}

// fit is a node with room for a claim.
type fit struct {
	node       string
	allocation *resourceapi.AllocationResult
	// alternatives is scoreOf's score, distance the sum of the devices' distances.
	alternatives, distance int
}

// preferred returns the first node with the highest score. Alternatives count twice as much as a
// node's saving of the greatest distance, in percent; with lists, scores are in percent of the best.
func preferred(fits []fit, lists bool) fit {
	distances := func(a, b fit) int { return a.distance - b.distance }
	farthest, nearest := slices.MaxFunc(fits, distances).distance, slices.MinFunc(fits, distances).distance
	score := func(f fit) int {
		switch {
		case farthest == nearest:
			return f.alternatives
		case !lists:
			return 100 * (farthest - f.distance) / farthest
		}
		return 200*f.alternatives + 100*(farthest-f.distance)/farthest
	}
	scores := func(a, b fit) int { return score(a) - score(b) }
	most := score(slices.MaxFunc(fits, scores))
	if !lists || most == 0 {
		return slices.MaxFunc(fits, scores)
	}
	return slices.MaxFunc(fits, func(a, b fit) int { return 100*score(a)/most - 100*score(b)/most })
}

func hasList(claim *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 })
}

// scoreOf adds up 8 for each first alternative, 7 for each second one, …
func scoreOf(claim *resourceapi.ResourceClaim, allocation *resourceapi.AllocationResult) int {
	score := 0
	for _, r := range claim.Spec.Devices.Requests {
		for i, sub := range r.FirstAvailable {
			if slices.ContainsFunc(allocation.Devices.Results, func(result resourceapi.DeviceRequestAllocationResult) bool {
				return result.Request == r.Name+"/"+sub.Name
			}) {
				score += 8 - i
			}
		}
	}
	return score
}

func devices(claim *resourceapi.ResourceClaim) string {
	text := ""
	for _, r := range claim.Status.Allocation.Devices.Results {
		text += fmt.Sprintf("%s=%s/%s/%s ", r.Request, r.Driver, r.Pool, r.Device)
	}
	return text
}

// randomCluster has one pod for each claim of a random problem. Its nodes with their local slices are
// the templates.
func randomCluster(seed, number uint64) (simulation.Objects, []*simulation.Group) {
	p := generate.Problem(seed, number)
	var objects simulation.Objects
	var groups []*simulation.Group
	for i := range p.Nodes {
		n := p.Nodes[i].API()
		n.Status.Allocatable = v1.ResourceList{v1.ResourcePods: resource.MustParse("100")}
		objects.Nodes = append(objects.Nodes, n)
		groups = append(groups, &simulation.Group{Name: fmt.Sprint("g", i), Cost: int64(1 + i), Max: 3, Template: simulation.Template{Node: n}})
	}
	for i := range p.Slices {
		s := &p.Slices[i]
		objects.Slices = append(objects.Slices, s)
		for _, g := range groups {
			if ptr.Deref(s.Spec.NodeName, "") == g.Node.Name {
				g.Slices = append(g.Slices, s)
			}
		}
	}
	for i := range p.Classes {
		objects.Classes = append(objects.Classes, &p.Classes[i])
	}
	for i := range p.Allocated {
		objects.Claims = append(objects.Claims, &p.Allocated[i])
	}
	for i := range p.Claims {
		claim := &p.Claims[i]
		for copies := range 2 {
			c := claim.DeepCopy()
			c.Name = fmt.Sprintf("%s-%d", claim.Name, copies)
			c.UID = types.UID(c.Name)
			pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: "pod-" + c.Name, UID: "pod-" + c.UID}}
			pod.Spec.Containers = []v1.Container{{Name: "c"}}
			pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "claim-0", ResourceClaimName: ptr.To(c.Name)}}
			objects.Claims, objects.Pods = append(objects.Claims, c), append(objects.Pods, pod)
		}
	}
	groups = slices.DeleteFunc(groups, func(g *simulation.Group) bool { return g.Validate() != nil })
	return objects, groups
}

// describe formats a placement like twin does.
func describe(p simulation.Placement) string {
	if p.Node == "" {
		return ""
	}
	return p.Node + ": " + devices(p.Claims[0])
}

// compare places pods with a twin on nodes grown by counts.
func compare(t *testing.T, objects simulation.Objects, groups []*simulation.Group, counts []int, got []simulation.Placement) error {
	w := &twin{Objects: objects, cache: celeval.New(celeval.Config{Results: 5000})}
	w.Nodes, w.Slices, w.Claims = slices.Clone(w.Nodes), slices.Clone(w.Slices), nil
	slices.SortFunc(w.Nodes, func(a, b *v1.Node) int { return cmp.Compare(a.Name, b.Name) })
	unallocated := make(map[string]*resourceapi.ResourceClaim)
	for _, c := range objects.Claims {
		if c.Status.Allocation != nil {
			w.Claims = append(w.Claims, c)
		} else {
			unallocated[c.Name] = c
		}
	}
	// Pods placed on the existing cluster do not wait for nodes.
	var served, waiting []simulation.Placement
	for _, p := range got {
		if p.Node != "" && !strings.Contains(p.Node, "-new-") {
			served = append(served, p)
		} else {
			waiting = append(waiting, p)
		}
	}
	if err := w.ask(t, unallocated, served); err != nil {
		return err
	}
	for i, n := range counts {
		for number := range n {
			made := groups[i].Instance(groups[i].NodeName(number + 1))
			w.Nodes, w.Slices = append(w.Nodes, made.Nodes...), append(w.Slices, made.Slices...)
		}
	}
	return w.ask(t, unallocated, waiting)
}

// ask places the pods with the twin and returns differences. Pods with failed attempts are retried as
// long as other pods get a node.
func (w *twin) ask(t *testing.T, claims map[string]*resourceapi.ResourceClaim, pods []simulation.Placement) error {
	for served := true; served && len(pods) > 0; {
		served = false
		var failed []simulation.Placement
		for _, p := range pods {
			want, err := w.place(t, claims[*p.Pod.Spec.ResourceClaims[0].ResourceClaimName])
			if err != nil {
				failed = append(failed, p)
				continue
			}
			if describe(p) != want {
				return fmt.Errorf("pod %s: got %q (%s), want %q", p.Pod.Name, describe(p), p.Reason, want)
			}
			served = served || want != "" && len(failed) > 0
		}
		pods = failed
	}
	for _, p := range pods {
		if p.Node != "" {
			return fmt.Errorf("pod %s: got %q, and its attempts fail", p.Pod.Name, describe(p))
		}
	}
	return nil
}

// errNoSuchNode means the cluster cannot have so many nodes.
var errNoSuchNode = errors.New("there cannot be such a node")

// onCounts places pods, adds nodes, and places the remaining pods again.
func onCounts(t *testing.T, s *simulation.Simulation, groups []*simulation.Group, counts []int) ([]simulation.Placement, error) {
	s.Fork()
	defer s.Revert()
	all, err := s.Place(t.Context(), s.Pending())
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		for number := range counts[i] {
			if err := s.AddNode(t.Context(), &g.Template, g.NodeName(number+1)); err != nil {
				return nil, fmt.Errorf("%w: %w", errNoSuchNode, err)
			}
		}
	}
	var waiting []*v1.Pod
	var at []int
	for i := range all {
		if all[i].Node == "" {
			waiting, at = append(waiting, all[i].Pod), append(at, i)
		}
	}
	again, err := s.Place(t.Context(), waiting)
	for i, p := range again {
		all[at[i]] = p
	}
	return all, err
}

// TestAgainstTheAllocator compares Grow's placements with the allocator's, both on the nodes of Grow's
// answer and with one node less and Place.
func TestAgainstTheAllocator(t *testing.T) {
	var sum tally
	for number := *first; number < *first+*problems; number++ {
		sum.problem(t, number)
	}
	t.Logf("%d problems compared; %d nodes added, %d clusters with a node less, %d pods without a node", sum.grown, sum.added, sum.fewer, sum.unserved)
}

// tally counts outcomes of problems.
type tally struct{ grown, added, fewer, unserved int }

// problem checks one problem's answer, and the answer with one node less per group. It stops
// background work of the plugins.
func (n *tally) problem(t *testing.T, number uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	objects, groups := randomCluster(*seed, number)
	s, err := simulation.New(ctx, objects, simulation.Config{})
	if err != nil {
		t.Fatal(err)
	}
	growth, err := s.Grow(ctx, s.Pending(), groups)
	if err != nil {
		t.Fatalf("problem %d: %v", number, err)
	}
	if err := compare(t, objects, groups, growth.Counts, growth.Placements); err != nil {
		t.Fatalf("problem %d, counts %v: %v", number, growth.Counts, err)
	}
	n.grown++
	n.unserved += len(growth.Unserved())
	for i := range growth.Counts {
		n.added += growth.Counts[i]
		if growth.Counts[i] == 0 {
			continue
		}
		counts := slices.Clone(growth.Counts)
		counts[i]--
		less, err := onCounts(t, s, groups, counts)
		if err != nil {
			t.Fatal(err)
		}
		if err := compare(t, objects, groups, counts, less); err != nil {
			t.Fatalf("problem %d, counts %v: %v", number, counts, err)
		}
		if len((&simulation.Growth{Placements: less}).Unserved()) <= len(growth.Unserved()) {
			t.Fatalf("problem %d: counts %v serve as many pods as %v", number, counts, growth.Counts)
		}
		n.fewer++
	}
}
