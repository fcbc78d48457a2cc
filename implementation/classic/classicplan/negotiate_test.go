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
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// scheduling has generation 2. An answer is "claim: nodes" for generation 2, or "claim@1: nodes"
// for an earlier one.
func scheduling(selected string, potential []string, answers ...string) *v1alpha1.PodScheduling {
	s := &v1alpha1.PodScheduling{Spec: v1alpha1.PodSchedulingSpec{SelectedNode: selected, PotentialNodes: potential}}
	s.Generation = 2
	for _, answer := range answers {
		name, nodes, _ := strings.Cut(answer, ":")
		name, old := strings.CutSuffix(name, "@1")
		status := v1alpha1.ClaimSchedulingStatus{Name: name, ObservedGeneration: 2, UnsuitableNodes: strings.Fields(nodes)}
		if old {
			status.ObservedGeneration = 1
		}
		s.Status.ResourceClaims = append(s.Status.ResourceClaims, status)
	}
	return s
}

func describeMove(move classicplan.Move) string {
	switch m := move.(type) {
	case classicplan.Bind:
		return "bind"
	case classicplan.Await:
		return "await: " + m.Why
	case classicplan.GiveUp:
		return "give up: " + m.Why
	case classicplan.Ask:
		return fmt.Sprintf("ask %v select %q rejected %v", m.Spec.PotentialNodes, m.Spec.SelectedNode, sets.List(m.Rejected))
	}
	return fmt.Sprintf("%T", move)
}

func TestNegotiate(t *testing.T) {
	one, two := []string{"c"}, []string{"c", "d"}
	abc, bc := []string{"a", "b", "c"}, []string{"b", "c"}
	const check = "await: drivers check which nodes are suitable"
	tests := []struct {
		name       string
		scheduling *v1alpha1.PodScheduling
		pending    []string
		fitting    []string
		rejected   []string
		want       string
	}{
		{"all claims are allocated", scheduling("a", abc), nil, abc, nil, "bind"},
		{"one claim: the best node at once", nil, one, abc, nil, `ask [a b c] select "a" rejected []`},
		{"two claims: ask first", nil, two, abc, nil, `ask [a b c] select "" rejected []`},
		{"no answer yet", scheduling("", abc), two, abc, nil, check},
		{"half an answer", scheduling("", abc, "c:"), two, abc, nil, check},
		{"an answer to another question", scheduling("", abc, "c:", "d@1:"), two, abc, nil, check},
		{"both agree", scheduling("", abc, "c: a", "d:"), two, abc, nil, `ask [a b c] select "b" rejected [a]`},
		{"each has another one", scheduling("", abc, "c: a", "d: b"), two, abc, nil, `ask [a b c] select "c" rejected [a b]`},
		{"none is left", scheduling("", abc, "c: a b", "d: c"), two, abc, nil, "give up: no node suits the drivers of all claims"},
		{"none of these, but more", scheduling("", bc, "c: b", "d: c"), two, abc, nil, `ask [a] select "" rejected [b c]`},
		{"what was said of a claim that is allocated now", scheduling("a", abc, "c: a b c", "d:"), []string{"d"}, abc, nil, "await: drivers allocate for node a"},
		{"rejected before", scheduling("", bc, "c: b", "d: c"), two, abc, []string{"a"}, "give up: no node suits the drivers of all claims"},
		{"being allocated", scheduling("a", abc, "c:"), two, abc, nil, "await: drivers allocate for node a"},
		{"one driver refuses", scheduling("a", abc, "c: a"), two, abc, nil, `ask [b c] select "" rejected [a]`},
		{"one claim: the driver refuses", scheduling("a", abc, "c: a b"), one, abc, nil, `ask [a b c] select "c" rejected [a b]`},
		{"refused for an earlier selection", scheduling("a", abc, "c@1: a"), one, abc, nil, "await: drivers allocate for node a"},
		{"the selected node is full now", scheduling("a", abc), one, bc, nil, `ask [b c] select "b" rejected []`},
		{"the nodes in question are full now", scheduling("", []string{"a"}), two, bc, nil, `ask [b c] select "" rejected []`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := classicplan.Negotiation{Scheduling: test.scheduling, Pending: test.pending, Fitting: test.fitting, Rejected: sets.New(test.rejected...)}
			if got := describeMove(classicplan.Negotiate(n)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	s := scheduling("b", []string{"a", "b", "c"}, "other: c", "mine@1: a")
	if diff := cmp.Diff([]string{"b", "a", "c"}, classicplan.ToCheck(s)); diff != "" {
		t.Errorf("to check (-want +got):\n%s", diff)
	}
	answered, changed := classicplan.Answer(s, map[string][]string{"mine": {"a", "elsewhere", "b"}, "also-mine": nil})
	want := scheduling("b", []string{"a", "b", "c"}, "also-mine:", "mine: b a", "other: c")
	want.Status.ResourceClaims[0].UnsuitableNodes = nil
	if diff := cmp.Diff(want.Status, answered.Status); !changed || diff != "" {
		t.Errorf("changed %t (-want +got):\n%s", changed, diff)
	}
	if _, changed = classicplan.Answer(answered, map[string][]string{"mine": {"b", "a"}}); changed {
		t.Error("the same answer is no change")
	}
	names := []string{"mine", "also-mine", "other"}
	if !classicplan.Refused(answered, names) || classicplan.Refused(s, names) {
		t.Errorf("refused: %t after, %t before", classicplan.Refused(answered, names), classicplan.Refused(s, names))
	}
	many := scheduling("selected", nil)
	for i := range v1alpha1.MaxNodes {
		many.Spec.PotentialNodes = append(many.Spec.PotentialNodes, fmt.Sprint("n", i))
	}
	full, _ := classicplan.Answer(many, map[string][]string{"mine": classicplan.ToCheck(many)})
	if nodes := full.Status.ResourceClaims[0].UnsuitableNodes; len(nodes) != v1alpha1.MaxNodes || nodes[0] != "selected" {
		t.Errorf("%d nodes, the first is %s", len(nodes), nodes[0])
	}
}

// negotiate plays scheduler and drivers until it ends, and returns the last move and the number of
// requests. taken is how many selected nodes another pod takes just before allocation.
func negotiate(t *testing.T, r *rand.Rand, nodes []string, unsuitable map[string]sets.Set[string], taken int) (classicplan.Move, string, int) {
	n := classicplan.Negotiation{Fitting: nodes}
	for name := range unsuitable {
		n.Pending = append(n.Pending, name)
	}
	slices.Sort(n.Pending)
	questions := 0
	for {
		r.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] }) // Scores change.
		switch m := classicplan.Negotiate(n).(type) {
		case classicplan.Ask:
			questions++
			if questions > 2*len(nodes)+1 {
				t.Fatalf("%d questions about %d nodes", questions, len(nodes))
			}
			next := &v1alpha1.PodScheduling{Spec: m.Spec}
			next.Generation = int64(questions)
			if n.Scheduling != nil {
				next.Status = n.Scheduling.Status
			}
			n.Scheduling, n.Rejected = next, m.Rejected
		case classicplan.Await:
			name := n.Pending[r.IntN(len(n.Pending))]
			selected := n.Scheduling.Spec.SelectedNode
			if selected != "" && taken > 0 {
				taken--
				unsuitable[name].Insert(selected)
			}
			n.Scheduling, _ = classicplan.Answer(n.Scheduling, map[string][]string{name: unsuitable[name].UnsortedList()})
			if selected != "" && classicplan.Answered(n.Scheduling, n.Pending) && !classicplan.Refused(n.Scheduling, n.Pending) {
				return m, selected, questions
			}
		default:
			return m, "", questions
		}
	}
}

// Several drivers find a node suitable for all if there is one, otherwise the scheduler gives up;
// both happen soon.
func TestNegotiationsEnd(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		size, drivers, taken := 1+r.IntN(600), 1+r.IntN(4), r.IntN(4)
		nodes := make([]string, size)
		for i := range nodes {
			nodes[i] = fmt.Sprint("node-", i)
		}
		unsuitable, share := map[string]sets.Set[string]{}, 0.5+r.Float64()/2
		for d := range drivers {
			bad := sets.New[string]()
			for _, node := range nodes {
				if r.Float64() < share {
					bad.Insert(node)
				}
			}
			unsuitable[fmt.Sprint("claim-", d)] = bad
		}
		move, selected, questions := negotiate(t, r, nodes, unsuitable, taken)
		left := sets.New(nodes...)
		for _, bad := range unsuitable {
			left = left.Difference(bad)
		}
		if _, gaveUp := move.(classicplan.GiveUp); gaveUp != (left.Len() == 0) {
			t.Errorf("seed %d: %d nodes are suitable, and it ends with %s", seed, left.Len(), describeMove(move))
		} else if !gaveUp && !left.Has(selected) {
			t.Errorf("seed %d: %s is selected", seed, selected)
		}
		// Each window once, a selection in each, and two for each taken node.
		if limit := 2*(size/v1alpha1.MaxNodes+1) + 2*3; drivers > 1 && questions > limit {
			t.Errorf("seed %d: %d questions about %d nodes, want at most %d", seed, questions, size, limit)
		}
	}
}

// The only node of 5000 suitable for two drivers is found within 41 requests.
func TestNegotiationOnManyNodes(t *testing.T) {
	nodes, bad := make([]string, 5000), sets.New[string]()
	for i := range nodes {
		nodes[i] = fmt.Sprint("node-", i)
		bad.Insert(nodes[i])
	}
	bad.Delete("node-4321")
	_, selected, questions := negotiate(t, rand.New(rand.NewPCG(1, 1)), nodes, map[string]sets.Set[string]{"c": bad, "d": sets.New[string]()}, 0)
	if selected != "node-4321" || questions > 41 {
		t.Errorf("selected %q after %d questions", selected, questions)
	}
}
