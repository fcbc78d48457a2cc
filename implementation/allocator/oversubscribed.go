package allocator

// oversubscribed says whether a subrequest, which still misses some devices out of those left
// for it, and the subrequests after it want more than there is together: a device goes to
// one of them only, and a set of shared counters serves so many.
//
// Subrequests that take no device from others (admin access, shares) do not count, nor do
// lists of alternatives. The row ends before a subrequest that may end the search with an
// error, so that the error is not lost.
func (s *search) oversubscribed(first *subrequest, missing int, left []int) bool {
	row := s.following(first)
	if len(row) == 0 || first.admin {
		return false
	}
	f := newFlow()
	source, sink := f.node(), f.node()
	flowNetwork := network{search: s, flow: f, sink: sink, classes: map[int]int{}, sets: map[counterSet]int{}, members: map[counterSet][]int{}}
	wanted := 0
	add := func(count int, devices []int) {
		for _, i := range devices {
			if s.shareable(i) {
				return
			}
		}
		wanted += count
		node := f.node()
		f.edge(source, node, count)
		flowNetwork.offer(node, devices)
	}
	add(missing, left)
	for _, a := range row {
		devices := s.candidates(a, 0)
		if s.tooFew(a, a.count, devices) {
			return true
		}
		add(a.count, devices)
	}
	flowNetwork.close()
	return f.most(source, sink) < wanted
}

// following are the subrequests after this one that count.
func (s *search) following(first *subrequest) []*subrequest {
	var row []*subrequest
	for claim := first.claim; claim < len(s.Demand.claims); claim++ {
		for _, request := range s.Demand.claims[claim].requests {
			a := request.alternatives[0]
			if claim == first.claim && a.request <= first.request {
				continue
			}
			for _, a = range request.alternatives {
				if !s.known.clean[a.index] || a.all && len(a.constraints) > 0 {
					return row
				}
			}
			if !request.listed && !a.all && !a.admin {
				row = append(row, a)
			}
		}
	}
	return row
}

// network is the flow network from subrequests over classes of devices and sets of counters to
// the sink.
type network struct {
	*search
	flow    *flow
	sink    int
	classes map[int]int
	sets    map[counterSet]int
	members map[counterSet][]int
}

// offer connects a subrequest with the classes of the devices it could take.
func (c *network) offer(subrequest int, devices []int) {
	counts := map[int]int{}
	for _, i := range devices {
		class := c.known.class[i]
		counts[class]++
		if _, ok := c.classes[class]; !ok {
			c.addClass(class, i)
		}
	}
	for class, count := range counts {
		c.flow.edge(subrequest, c.classes[class], count)
	}
}

// addClass connects a class of devices, of which i is one, with what limits it.
func (c *network) addClass(class, i int) {
	node := c.flow.node()
	c.classes[class] = node
	room := 0
	set, counted := c.counterSet(i)
	for k := range c.devices {
		if c.known.class[k] == class && c.devices[k].claims == 0 {
			room++
			if counted {
				c.members[set] = append(c.members[set], k)
			}
		}
	}
	to := c.sink
	if counted {
		if _, ok := c.sets[set]; !ok {
			c.sets[set] = c.flow.node()
		}
		to = c.sets[set]
	}
	c.flow.edge(node, to, room)
}

// close limits each set of counters to the number of devices it can serve.
func (c *network) close() {
	for set, node := range c.sets {
		c.flow.edge(node, c.sink, c.mostInSet(c.members[set]))
	}
}

// flow is a small network for the maximum flow by augmenting paths.
type flow struct {
	from  [][]int // edges by node
	edges []flowEdge
	seen  []bool
}

// flowEdge has its reverse beside it: edge e and e^1.
type flowEdge struct{ to, room int }

func newFlow() *flow { return &flow{} }

func (f *flow) node() int {
	f.from = append(f.from, nil)
	return len(f.from) - 1
}

func (f *flow) edge(from, to, room int) {
	f.from[from] = append(f.from[from], len(f.edges))
	f.from[to] = append(f.from[to], len(f.edges)+1)
	f.edges = append(f.edges, flowEdge{to, room}, flowEdge{from, 0})
}

// most is the maximum flow.
func (f *flow) most(source, sink int) int {
	total := 0
	for {
		f.seen = clean(f.seen, len(f.from))
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
	for _, e := range f.from[at] {
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
