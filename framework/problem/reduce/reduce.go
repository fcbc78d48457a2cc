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

package reduce

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/problem"
)

// Problem minimizes a problem while bad is true for it.
func Problem(p *problem.Problem, bad func(*problem.Problem) bool) *problem.Problem {
	for again := true; again; {
		again = false
		size := measure(p)
		for smaller := range smallerOnes(p) {
			if less(measure(smaller), size) && bad(smaller) {
				p, again = smaller, true
				break
			}
		}
	}
	return p
}

// measure and less define a well-founded order, so that reduction ends.
func measure(p *problem.Problem) []byte {
	text, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return text
}

func less(a, b []byte) bool {
	return a != nil && (len(a) < len(b) || len(a) == len(b) && bytes.Compare(a, b) < 0)
}

// smallerOnes returns copies of a problem with one element less each, large elements first.
func smallerOnes(p *problem.Problem) iter.Seq[*problem.Problem] {
	return func(yield func(*problem.Problem) bool) {
		// A cut removes the i-th element of its kind, or returns false if there is none.
		for _, cut := range slices.Concat(clusterCuts(), claimCuts(), deviceCuts()) {
			for i := 0; ; i++ {
				c := p.Copy()
				if !cut(c, i) {
					break
				}
				if !yield(c) {
					return
				}
			}
		}
	}
}

type cut func(p *problem.Problem, i int) bool

func drop[T any](list *[]T, i int) bool {
	if i >= len(*list) {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	return true
}

// nested maps i into lists of lists and calls do for the owner and index of the element.
func nested[T any](owners []T, i int, size func(*T) int, do func(*T, int)) bool {
	for o := range owners {
		n := size(&owners[o])
		if i < n {
			do(&owners[o], i)
			return true
		}
		i -= n
	}
	return false
}

func clusterCuts() []cut {
	return []cut{
		func(p *problem.Problem, i int) bool { return len(p.Nodes) > 1 && drop(&p.Nodes, i) },
		func(p *problem.Problem, i int) bool { p.History = nil; return i == 0 },
		func(p *problem.Problem, i int) bool { return len(p.Pods) > 1 && drop(&p.Pods, i) },
		func(p *problem.Problem, i int) bool {
			return nested(p.Pods, i, func(pod *problem.Pod) int { return len(pod.Claims) },
				func(pod *problem.Pod, i int) { drop(&pod.Claims, i) })
		},
		func(p *problem.Problem, i int) bool {
			return nested(p.Pods, i, func(pod *problem.Pod) int { return len(pod.Containers) },
				func(pod *problem.Pod, i int) { drop(&pod.Containers, i) })
		},
		ofContainers(func(m map[string]int64, name string) { delete(m, name) }),
		ofContainers(func(m map[string]int64, name string) { m[name] = max(0, m[name]-1) }),
		func(p *problem.Problem, i int) bool {
			return nested(p.Nodes, i, func(*problem.Node) int { return 1 }, func(n *problem.Node, _ int) { n.Extended = nil })
		},
		func(p *problem.Problem, i int) bool {
			return nested(p.Classes, i, func(*resourceapi.DeviceClass) int { return 1 },
				func(c *resourceapi.DeviceClass, _ int) { c.Spec.ExtendedResourceName = nil })
		},
		dropSlice,
		func(p *problem.Problem, i int) bool { return drop(&p.Slices, i) },
		func(p *problem.Problem, i int) bool { return drop(&p.Rules, i) },
		func(p *problem.Problem, i int) bool { return drop(&p.Allocated, i) },
		func(p *problem.Problem, i int) bool { return drop(&p.Off, i) },
		func(p *problem.Problem, i int) bool {
			return p.History != nil && drop(&p.History.Slices, i)
		},
		func(p *problem.Problem, i int) bool {
			return p.History != nil && drop(&p.History.Released, i)
		},
		func(p *problem.Problem, i int) bool {
			return nested(p.Allocated, i, func(c *resourceapi.ResourceClaim) int { return len(c.Status.Allocation.Devices.Results) },
				func(c *resourceapi.ResourceClaim, i int) { drop(&c.Status.Allocation.Devices.Results, i) })
		},
		func(p *problem.Problem, i int) bool { return drop(&p.Classes, i) },
		func(p *problem.Problem, i int) bool {
			return nested(p.Classes, i, func(c *resourceapi.DeviceClass) int { return len(c.Spec.Selectors) },
				func(c *resourceapi.DeviceClass, i int) { drop(&c.Spec.Selectors, i) })
		},
		func(p *problem.Problem, i int) bool {
			return nested(p.Classes, i, func(c *resourceapi.DeviceClass) int { return len(c.Spec.Config) },
				func(c *resourceapi.DeviceClass, i int) { drop(&c.Spec.Config, i) })
		},
	}
}

// ofContainers changes the extended resources of containers.
func ofContainers(change func(map[string]int64, string)) cut {
	return func(p *problem.Problem, i int) bool {
		return nested(p.Pods, i,
			func(pod *problem.Pod) int {
				n := 0
				for _, c := range pod.Containers {
					n += len(c.Extended)
				}
				return n
			},
			func(pod *problem.Pod, i int) {
				nested(pod.Containers, i, func(c *problem.Container) int { return len(c.Extended) }, func(c *problem.Container, i int) {
					change(c.Extended, slices.Sorted(maps.Keys(c.Extended))[i])
				})
			})
	}
}

// dropSlice removes a slice and updates the counts of its pool.
func dropSlice(p *problem.Problem, i int) bool {
	if i >= len(p.Slices) {
		return false
	}
	gone := p.Slices[i].Spec
	drop(&p.Slices, i)
	for j := range p.Slices {
		s := &p.Slices[j].Spec
		if s.Driver == gone.Driver && s.Pool.Name == gone.Pool.Name && s.Pool.Generation == gone.Pool.Generation {
			s.Pool.ResourceSliceCount--
		}
	}
	return true
}
