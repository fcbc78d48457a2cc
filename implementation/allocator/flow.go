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

package allocator

// flow computes maximum flows by augmenting paths. reset reuses its memory.
type flow struct {
	last  []int // last edge of each node
	edges []flowEdge
	seen  []bool
}

// flowEdge is stored next to its reverse (edges e and e^1). before is the previous edge of its node.
type flowEdge struct{ to, room, before int }

const none = -1

func (f *flow) reset() { f.last, f.edges = f.last[:0], f.edges[:0] }

func (f *flow) node() int {
	f.last = append(f.last, none)
	return len(f.last) - 1
}

func (f *flow) edge(from, to, room int) {
	e := len(f.edges)
	f.edges = append(f.edges, flowEdge{to, room, f.last[from]}, flowEdge{from, 0, f.last[to]})
	f.last[from], f.last[to] = e, e+1
}

// most returns the maximum flow.
func (f *flow) most(source, sink int) int {
	total := 0
	for {
		f.seen = clean(f.seen, len(f.last))
		pushed := f.push(source, sink, int(^uint(0)>>1))
		if pushed == 0 {
			return total
		}
		total += pushed
	}
}

func (f *flow) push(at, sink, room int) int {
	if at == sink {
		return room
	}
	f.seen[at] = true
	for e := f.last[at]; e != none; e = f.edges[e].before {
		edge := &f.edges[e]
		if edge.room == 0 || f.seen[edge.to] {
			continue
		}
		if pushed := f.push(edge.to, sink, min(room, edge.room)); pushed > 0 {
			edge.room -= pushed
			f.edges[e^1].room += pushed
			return pushed
		}
	}
	return 0
}
