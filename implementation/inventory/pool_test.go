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

package inventory

import (
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

// summary formats the view of a node, one word per pool: "pool:slice.device,…", with "?" for
// incomplete and "!reason" for invalid pools. Unreachable devices are in parentheses.
func summary(t testing.TB, n *Node) string {
	t.Helper()
	var words []string
	next := 0
	for i, pool := range n.Pools {
		word := pool.ID.Pool + ":"
		switch {
		case pool.Incomplete:
			word += "?"
		case pool.Invalid != "":
			word += "!" + pool.Invalid
		}
		var devices []string
		for ; next < len(n.Devices) && n.PoolOf[next] == i; next++ {
			name := n.Devices[next].Slice.Name + "." + n.Devices[next].ID.Device
			ok, err := n.Reachable(next)
			if err != nil {
				name += "!"
			}
			if !ok {
				name = "(" + name + ")"
			}
			devices = append(devices, name)
		}
		words = append(words, word+strings.Join(devices, ","))
	}
	if next != len(n.Devices) {
		t.Errorf("%d of %d devices belong to no pool", len(n.Devices)-next, len(n.Devices))
	}
	return strings.Join(words, " ")
}

type published = []*resourceapi.ResourceSlice

// story is a list of slices and the resulting view of node n1 with label "a".
type story struct {
	name   string
	slices published
	want   string
}

func runStories(t *testing.T, features Features, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			n := mustNode(t, New(features).With(s.slices), node("n1", "a"))
			if got := summary(t, n); got != s.want {
				t.Errorf("got  %s\nwant %s", got, s.want)
			}
		})
	}
}

func TestNodeSelection(t *testing.T) {
	runStories(t, AllFeatures(), []story{
		{"nothing published", nil, ""},
		{"by name", published{slice("s1", "p1", devices("d1")), slice("s2", "p2", onNode("n2"), devices("d1"))}, "p1:s1.d1"},
		{"all nodes", published{slice("s1", "p1", onAllNodes(), devices("d1"))}, "p1:s1.d1"},
		{"by label", published{
			slice("s1", "p1", onNodesWith("a"), devices("d1")),
			slice("s2", "p2", onNodesWith("b"), devices("d1")),
		}, "p1:s1.d1"},
		{"unknown selection", published{slice("s1", "p1", unknownSelection(), devices("d1"))}, ""},
		{"all nodes beats a broken selector", published{slice("s1", "p1", onNodesWith(broken), onAllNodes(), devices("d1"))}, "p1:s1.d1"},
		{"per device", published{slice("s1", "p1", perDevice(),
			device("d1", func(d *resourceapi.Device) { d.NodeSelector = hasLabel("b") }),
			device("d2", func(d *resourceapi.Device) { d.NodeSelector = hasLabel("a") }),
			device("d3", func(d *resourceapi.Device) { d.NodeSelector = hasLabel(broken) }),
			device("d4", func(*resourceapi.Device) {}))},
			"p1:(s1.d1),s1.d2,(s1.d3!),(s1.d4)"},
		{"per device, but none for this node", published{slice("s1", "p1", perDevice(),
			device("d1", func(d *resourceapi.Device) { d.NodeSelector = hasLabel("b") }))}, ""},
		{"per device in a slice that selects nodes, too", published{slice("s1", "p1", perDevice(), onNode("n1"), devices("d1"))}, "p1:(s1.d1)"},
		{"only other pools select per device", published{
			slice("s1", "p1", devices("d1")),
			slice("s2", "p2", perDevice(), device("d1", func(d *resourceapi.Device) { d.NodeSelector = hasLabel("a") })),
		}, "p1:s1.d1 p2:s2.d1"},
	})
}

func TestPoolGenerations(t *testing.T) {
	runStories(t, AllFeatures(), []story{
		{"out-dated slice", published{slice("s1", "p1", devices("old")), slice("s2", "p1", generation(2), devices("new"))}, "p1:s2.new"},
		{"out-dated slice after the new one", published{slice("s2", "p1", devices("old")), slice("s1", "p1", generation(2), devices("new"))}, "p1:s1.new"},
		{"newer slice for another node, old one complete here",
			published{slice("s1", "p1", devices("old")), slice("s2", "p1", generation(2), onNode("n2"), devices("new"))}, ""},
		{"newer slice for another node, old one incomplete here",
			published{slice("s1", "p1", of(2), devices("old")), slice("s2", "p1", generation(2), onNode("n2"), devices("new"))}, ""},
		{"a hidden newer slice counts as newer",
			published{slice("s1", "p1", of(2), devices("old")), slice("s2", "p1", generation(2), unknownSelection())}, ""},
		{"slice missing", published{slice("s1", "p1", of(2), devices("d1"))}, "p1:?"},
		{"slice too many", published{slice("s1", "p1", devices("d1")), slice("s2", "p1", devices("d2"))}, "p1:?"},
		{"slice too many, but not here", published{slice("s1", "p1", devices("d1")), slice("s2", "p1", onNode("n2"), devices("d2"))}, "p1:s1.d1"},
		{"complete together with another node", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), onNode("n2"), devices("d2"))}, "p1:s1.d1"},
		{"unknown selection makes a pool complete", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), unknownSelection())}, "p1:s1.d1"},
		{"slices that disagree about their number", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(3), devices("d2"))}, "p1:?"},
		{"out-dated slices that disagree about their number", published{
			slice("s1", "p1", of(3), devices("d1")), slice("s2", "p1", of(4), devices("d2")), slice("s3", "p1", generation(2), onNode("n2")),
		}, ""},
	})
}

func TestPoolOrder(t *testing.T) {
	binding := device("b1", func(d *resourceapi.Device) { d.BindingConditions = []string{} })
	runStories(t, AllFeatures(), []story{
		{"pools by driver, then name", published{
			slice("s1", "p2", devices("d1")),
			slice("s2", "p1", devices("d1")),
			slice("s3", "p3", byDriver("a.example.com"), devices("d1")),
		}, "p3:s3.d1 p1:s2.d1 p2:s1.d1"},
		{"slices by name, local and shared ones mixed", published{
			slice("s4", "p1", of(4), devices("d4")),
			slice("s3", "p1", of(4), onAllNodes(), devices("d3")),
			slice("s1", "p1", of(4), onAllNodes(), devices("d1")),
			slice("s2", "p1", of(4), devices("d9", "d2")),
		}, "p1:s1.d1,s2.d9,s2.d2,s3.d3,s4.d4"},
		{"binding conditions last", published{
			slice("s1", "p1", binding), slice("s2", "p2", devices("d1")), slice("s3", "p3", binding), slice("s4", "p4", of(2)),
		}, "p2:s2.d1 p4:? p1:s1.b1 p3:s3.b1"},
		{"binding conditions do not move an incomplete pool", published{
			slice("s1", "p1", of(2), binding), slice("s2", "p2", devices("d1")),
		}, "p1:? p2:s2.d1"},
		{"binding conditions on another node", published{
			slice("s1", "p1", of(2), devices("d1")), slice("s1b", "p1", of(2), onNode("n2"), binding), slice("s2", "p2", devices("d1")),
		}, "p1:s1.d1 p2:s2.d1"},
	})
}

func TestInvalidPools(t *testing.T) {
	counters := slice("c1", "p1", of(2), onAllNodes(), counterSet("set", "mem"))
	runStories(t, AllFeatures(), []story{
		{"duplicate device in a slice", published{slice("s1", "p1", devices("d1", "d2", "d1"))}, "p1:!more than one device is named d1"},
		{"duplicate device in two slices", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), devices("d1"))}, "p1:!more than one device is named d1"},
		{"same name on another node", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), onNode("n2"), devices("d1"))}, "p1:!more than one device is named d1"},
		{"duplicate names on another node", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), onNode("n2"), devices("d2", "d2"))}, "p1:!more than one device is named d2"},
		{"same name in a slice too many", published{slice("s1", "p1", devices("d1")), slice("s2", "p1", onNode("n2"), devices("d1"))}, "p1:!more than one device is named d1"},
		{"same name in an old slice", published{slice("s1", "p1", generation(2), devices("d1")), slice("s2", "p1", onNode("n2"), devices("d1"))}, "p1:s1.d1"},
		{"counters", published{counters, slice("s1", "p1", of(2), consumer("d1", "set", "mem"))}, "p1:s1.d1"},
		{"no such set", published{counters, slice("s1", "p1", of(2), consumer("d1", "other", "mem"))},
			"p1:!device d1 consumes from counter set other, which does not exist"},
		{"no such counter", published{counters, slice("s1", "p1", of(2), consumer("d1", "set", "cpu"))},
			"p1:!device d1 consumes counter cpu of counter set set, which does not exist"},
		{"no such counter on another node", published{counters, slice("s1", "p1", of(2), onNode("n2"), consumer("d1", "set", "cpu"))},
			"p1:!device d1 consumes counter cpu of counter set set, which does not exist"},
		{"duplicate set", published{counters, slice("c2", "p1", of(2), counterSet("set", "mem"))}, "p1:!more than one counter set is named set"},
		{"devices next to counter sets are ignored", published{slice("s1", "p1", counterSet("set", "mem"), devices("d1", "d1"))}, "p1:"},
	})
}

func TestFeatureOff(t *testing.T) {
	features := AllFeatures()
	features.PartitionableDevices = false
	runStories(t, features, []story{
		{"per device selection is skipped", published{
			slice("s1", "p1", of(2), devices("d1")),
			slice("s2", "p1", of(2), perDevice(), device("d2", func(d *resourceapi.Device) { d.NodeSelector = hasLabel("a") })),
		}, "p1:s1.d1"},
		{"counters are not checked", published{slice("s1", "p1", consumer("d1", "set", "mem"))}, "p1:s1.d1"},
		{"slices with counters are skipped", published{slice("s1", "p1", counterSet("set", "mem"), devices("d1"))}, ""},
		{"skipped slices repeat names", published{
			slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), counterSet("set", "mem"), devices("d1")),
		}, "p1:!more than one device is named d1"},
	})
}

func TestCompatibilityGroupsAreNotUnderstood(t *testing.T) {
	groups := consumer("d2", "set", "mem")
	grouped := func(s *resourceapi.ResourceSlice) {
		groups(s)
		s.Spec.Devices[0].ConsumesCounters[0].CompatibilityGroups = []string{"g"}
	}
	runStories(t, AllFeatures(), []story{
		{"alone", published{slice("s1", "p1", grouped)}, ""},
		{"makes the pool incomplete", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", of(2), grouped)}, "p1:?"},
		{"counts as newer", published{slice("s1", "p1", of(2), devices("d1")), slice("s2", "p1", generation(2), grouped)}, ""},
	})
}

func TestCountersAndConsumers(t *testing.T) {
	n := mustNode(t, inventoryOf(
		slice("c1", "p1", of(3), onAllNodes(), counterSet("set", "mem", "cpu")),
		slice("s1", "p1", of(3), consumer("d1", "set", "mem"), devices("d2")),
		slice("s2", "p1", of(3), onNode("n2"), consumer("d3", "set", "mem")),
		slice("s3", "p2", devices("d1")),
	), node("n1"))
	p1, p2 := n.Pools[0], n.Pools[1]
	if p2.Counters != nil || p2.Consumers != nil {
		t.Errorf("p2 has counters %v or consumers %v", p2.Counters, p2.Consumers)
	}
	if mem := p1.Counters["set"]["mem"]; len(p1.Counters["set"]) != 2 || mem.Value.String() != "10" {
		t.Errorf("p1 has counters %v", p1.Counters)
	}
	if len(p1.Consumers) != 2 || p1.Consumers["d1"] != n.Devices[0] || p1.Consumers["d3"] == nil {
		t.Errorf("p1 has consumers %v", p1.Consumers)
	}
}

func TestBrokenSelectors(t *testing.T) {
	brokenDevice := device("d1", func(d *resourceapi.Device) { d.NodeSelector = hasLabel(broken) })
	for _, s := range []story{
		{"slice", published{slice("s1", "p1", onNodesWith(broken))}, "slice s1"},
		{"device", published{slice("s1", "p1", perDevice(), brokenDevice)}, "device d1 in slice s1"},
		{"the first one by name", published{slice("s2", "p1", onNodesWith(broken)), slice("s1", "p1", onNodesWith(broken))}, "slice s1"},
		{"out-dated, too", published{slice("s1", "p1", onNodesWith(broken)), slice("s2", "p1", generation(2))}, "slice s1"},
	} {
		t.Run(s.name, func(t *testing.T) {
			inv := inventoryOf(s.slices...)
			for range 2 { // The second result is cached.
				if _, err := inv.Node(node("n1")); err == nil || !strings.Contains(err.Error(), s.want+":") {
					t.Errorf("got error %v, want %q", err, s.want)
				}
			}
		})
	}
}
