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
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestShrink(t *testing.T) {
	two := func() *cluster {
		return world().withNode(node("a"), slice("a", 1)).withNode(node("b"), slice("b", 1))
	}
	for _, test := range []struct {
		name     string
		cluster  *cluster
		possible bool
		moved    string // node of each moved pod, or its reason
		blocker  string
	}{
		{"no pods", two(), true, "", ""},
		{"another node has a device", two().withPod(using("p", "x"), one("x")).running("a", "dev-0"), true, "b", ""},
		{"another node has none", two().withPod(using("q", "y"), one("y")).running("b", "dev-0").withPod(using("p", "x"), one("x")).running("a", "dev-0"), false, "cannot allocate", ""},
		{"pods that share a claim move together", two().withPod(using("p", "x"), one("x")).running("a", "dev-0").withPod(using("q", "x")).running("a", "dev-0"), true, "b b", ""},
		{"a pod that waits in PreBind uses the claim", two().withPod(using("p", "x"), one("x")).running("a", "dev-0").withPod(using("q", "x")).running("a", "dev-0").eachPod(func(p *pod) {
			if p.Name == "q" {
				p.Spec.NodeName, p.Status.NominatedNodeName = "", "a"
			}
		}), false, "not available on the node", "claim ns/x has devices of the node and is reserved for pods q"},
		{"a pod of a DaemonSet", two().withPod(using("p", "x"), one("x")).running("a", "dev-0").eachPod(func(p *pod) {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Name: "d", Controller: ptr.To(true)}}
		}), true, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.cluster.simulate(t)
			for range 2 { // nothing is changed
				d, err := s.Shrink(t.Context(), "a")
				if err != nil {
					t.Fatal(err)
				}
				moved := make([]string, 0, len(d.Moved))
				for _, p := range d.Moved {
					moved = append(moved, p.Node+p.Reason)
				}
				if got := strings.Join(moved, " "); d.Possible != test.possible || (test.moved == "") != (got == "") || !strings.Contains(got, test.moved) {
					t.Errorf("possible: %v, want %v; moved: %q, want %q", d.Possible, test.possible, got, test.moved)
				}
				if got := strings.Join(d.Blockers, "; "); (test.blocker == "") != (got == "") || !strings.Contains(got, test.blocker) {
					t.Errorf("blockers %q, want %q", got, test.blocker)
				}
			}
		})
	}
	if _, err := two().simulate(t).Shrink(t.Context(), "c"); err == nil {
		t.Error("there is no node c")
	}
}
