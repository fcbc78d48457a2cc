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

package classicplan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

func TestFocus(t *testing.T) {
	one, two := []string{"c"}, []string{"c", "d"}
	abc := []string{"a", "b", "c"}
	tests := []struct {
		name       string
		scheduling *v1alpha1.PodScheduling
		pending    []string
		rejected   []string
		want       string
	}{
		{"all claims are allocated", scheduling("a", abc), nil, nil, "[]"},
		{"nobody was asked", nil, one, nil, "[]"},
		{"a node is selected", scheduling("a", abc, "c: b"), one, nil, "[a]"},
		{"a node is selected and refused", scheduling("a", abc, "c: a"), one, nil, "[b c]"},
		{"a node is selected that did not fit the last time", scheduling("a", abc), one, []string{"a"}, "[b c]"},
		{"drivers are asked", scheduling("", abc), two, nil, "[a b c]"},
		{"drivers have answered", scheduling("", abc, "c: a", "d: b"), two, nil, "[c]"},
		{"drivers have answered to another question", scheduling("", abc, "c@1: a"), two, nil, "[a b c]"},
		{"none of them suits", scheduling("", abc, "c: a b", "d: c"), two, nil, "[]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := classicplan.Negotiation{Scheduling: test.scheduling, Pending: test.pending, Rejected: sets.New(test.rejected...)}
			if got := fmt.Sprint(sets.List(n.Focus())); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestAwaiting(t *testing.T) {
	two := []string{"c", "d"}
	tests := []struct {
		name       string
		scheduling *v1alpha1.PodScheduling
		pending    []string
		want       string
	}{
		{"nobody was asked", nil, two, ""},
		{"all claims are allocated", scheduling("a", nil), nil, ""},
		{"half an answer", scheduling("", []string{"a"}, "c:"), two, "drivers check which nodes are suitable"},
		{"all have answered", scheduling("", []string{"a"}, "c:", "d: a"), two, ""},
		{"a node is selected", scheduling("a", nil, "c:", "d:"), two, "drivers allocate for node a"},
		{"it is refused", scheduling("a", nil, "c:", "d: a"), two, ""},
		{"it was refused before", scheduling("a", nil, "c:", "d@1: a"), two, "drivers allocate for node a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := classicplan.Awaiting(test.scheduling, test.pending); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRecover(t *testing.T) {
	free := classicplan.Stuck{Claim: claim(allocated), Record: record()}
	used := classicplan.Stuck{Claim: claim(allocated, reserved(2)), Record: record()}
	pending := func(s *v1alpha1.PodScheduling, rejected ...string) classicplan.Negotiation {
		return classicplan.Negotiation{Scheduling: s, Pending: []string{"c"}, Rejected: sets.New(rejected...)}
	}
	ab := []string{"a", "b"}
	tests := []struct {
		name  string
		unfit classicplan.Unfit
		want  classicplan.Recovery
	}{
		{"a claim is in use", classicplan.Unfit{Blocked: true, Stuck: []classicplan.Stuck{free}}, classicplan.Release{}},
		{"the selected node does not fit any more", classicplan.Unfit{Negotiation: pending(scheduling("a", ab), "z"), Focus: sets.New("a")},
			classicplan.Widen{Rejected: sets.New("a", "z")}},
		{"other nodes first, although a claim is elsewhere", classicplan.Unfit{Negotiation: pending(scheduling("", ab, "c: b")), Focus: sets.New("a"), Stuck: []classicplan.Stuck{free}},
			classicplan.Widen{Rejected: sets.New("a", "b")}},
		{"a claim is elsewhere", classicplan.Unfit{Stuck: []classicplan.Stuck{used, free}}, classicplan.Free{Claim: 1}},
		{"a claim is elsewhere and a node selected", classicplan.Unfit{Negotiation: pending(scheduling("a", ab)), Stuck: []classicplan.Stuck{free}},
			classicplan.Free{Claim: 0, Withdraw: true}},
		{"others use the claim that is elsewhere", classicplan.Unfit{Stuck: []classicplan.Stuck{used}}, classicplan.Rest{}},
		{"nothing fits", classicplan.Unfit{Negotiation: pending(nil)}, classicplan.Rest{}},
		{"nothing fits, and drivers tell of all nodes", classicplan.Unfit{Negotiation: pending(scheduling("a", ab, "c: a b"), "a")}, classicplan.Rest{}},
		{"nothing fits, and drivers do not tell of all nodes", classicplan.Unfit{Negotiation: pending(scheduling("", ab, "c: a b"), "z")}, classicplan.Rest{Beyond: true}},
		{"no driver can, and the pod has another claim", classicplan.Unfit{Negotiation: pending(scheduling("", ab, "c: a b")), Allocated: []classicplan.Stuck{used, free}}, classicplan.Yield{Claim: 1}},
		{"the selected node is refused, and the pod has another claim", classicplan.Unfit{Negotiation: pending(scheduling("a", ab, "c: a b")), Allocated: []classicplan.Stuck{free}}, classicplan.Yield{}},
		{"no driver can, and others use the other claim", classicplan.Unfit{Negotiation: pending(scheduling("", ab, "c: a b")), Allocated: []classicplan.Stuck{used}}, classicplan.Rest{}},
		{"drivers can, and the nodes are full", classicplan.Unfit{Negotiation: pending(scheduling("", ab, "c:"), "a", "b"), Allocated: []classicplan.Stuck{free}}, classicplan.Rest{}},
		{"a driver can on a node that is full", classicplan.Unfit{Negotiation: pending(scheduling("", ab, "c: a"), "b"), Allocated: []classicplan.Stuck{free}}, classicplan.Rest{}},
		{"the selected node does not fit, but a driver allocates", classicplan.Unfit{Negotiation: pending(scheduling("a", ab), "a"), Allocated: []classicplan.Stuck{free}}, classicplan.Rest{Withdraw: true}},
		{"not even the selected node", classicplan.Unfit{Negotiation: pending(scheduling("a", ab), "a")}, classicplan.Rest{Withdraw: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := classicplan.Recover(test.unfit, "uid-0", rand.New(rand.NewPCG(1, 2)))
			if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

// A scheduler sampling 5000 nodes differently at each attempt, while nodes fill up, finds the one
// node suitable for two drivers, with each request answered once.
func TestNegotiationOnSamplesOfNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all, bad := sets.New[string](), sets.New[string]()
	for i := range 5000 {
		all.Insert(fmt.Sprint("node-", i))
	}
	bad = bad.Union(all).Delete("node-4321")
	n := classicplan.Negotiation{Pending: []string{"c", "d"}}
	full := sets.New[string]() // nodes that are full
	for attempts, questions := 0, 0; ; attempts++ {
		if attempts > 300 || questions > 60 {
			t.Fatalf("%d attempts, %d questions", attempts, questions)
		}
		focus := n.Focus()
		n.Fitting = sample(r, all.Difference(full).Difference(n.Excluded()), focus)
		if len(n.Fitting) == 0 {
			widen, ok := classicplan.Recover(classicplan.Unfit{Negotiation: n, Focus: focus}, "p", r).(classicplan.Widen)
			if !ok {
				t.Fatalf("gave up after %d questions", questions)
			}
			n.Rejected = widen.Rejected
			continue
		}
		switch m := classicplan.Negotiate(n).(type) {
		case classicplan.Ask:
			questions++
			n.Scheduling, n.Rejected = &v1alpha1.PodScheduling{Spec: m.Spec}, m.Rejected
			n.Scheduling.Generation = int64(questions)
			if m.Spec.SelectedNode == "node-4321" {
				return
			}
			if len(full) < 500 && m.Spec.PotentialNodes[0] != "node-4321" {
				full.Insert(m.Spec.PotentialNodes[0])
			}
		case classicplan.Await:
			n.Scheduling, _ = classicplan.Answer(n.Scheduling, map[string][]string{"c": bad.UnsortedList(), "d": nil})
		default:
			t.Fatalf("attempt %d: %s", attempts, describeMove(m))
		}
	}
}

// sample is the scheduler's node sample: all nodes of the focus, or 200 of all.
func sample(r *rand.Rand, nodes, focus sets.Set[string]) []string {
	if focus != nil {
		return sets.List(nodes.Intersection(focus))
	}
	found := sets.List(nodes)
	r.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	return found[:min(len(found), 200)]
}
