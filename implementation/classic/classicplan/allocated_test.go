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
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// A pod has claims c and d, and node a is selected. c is allocated there when the driver, with a
// stale cache, answers again that neither c nor d can be allocated anywhere. Then a device is
// freed, and the driver answers that d can be allocated: it no longer mentions c, now allocated.
// `dratest soak --classic` found such a pod pending forever.
func TestAnswersForAllocatedClaimsDoNotCount(t *testing.T) {
	before := scheduling("a", []string{"a", "b"}, "c: a b", "d: a b")
	if !classicplan.Refused(before, []string{"d"}) {
		t.Error("node a is not refused although no device is free for d")
	}
	n := classicplan.Negotiation{Scheduling: scheduling("a", []string{"a", "b"}, "c: a b", "d:"), Pending: []string{"d"}}
	if classicplan.Refused(n.Scheduling, n.Pending) {
		t.Error("node a is refused: the driver of d does not try")
	}
	if got := n.Excluded(); got.Len() > 0 {
		t.Errorf("nodes %v are excluded", sets.List(got))
	}
	if got := n.Focus(); !got.Equal(sets.New("a")) {
		t.Errorf("the pod is limited to nodes %v", sets.List(got))
	}
	if why := classicplan.Awaiting(n.Scheduling, n.Pending); why != "drivers allocate for node a" {
		t.Errorf("awaiting %q", why)
	}
	if got := classicplan.Recover(classicplan.Unfit{Negotiation: n}, "pod", rand.New(rand.NewPCG(1, 1))); got != (classicplan.Rest{Withdraw: true}) {
		t.Errorf("if the pod fits no node for other reasons: %+v", got)
	}
}
