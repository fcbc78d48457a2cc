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
	"fmt"
	"runtime"
	"sync"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
)

func TestWithTheSameSlicesIsTheSameInventory(t *testing.T) {
	s1, s2 := slice("s1", "p1"), slice("s2", "p2")
	inv := inventoryOf(s1, s2)
	for _, c := range []struct {
		name   string
		slices published
		same   bool
	}{
		{"same order", published{s1, s2}, true},
		{"other order", published{s2, s1}, true},
		{"listed twice", published{s1, s2, s1}, true},
		{"one less", published{s1}, false},
		{"one listed twice, one missing", published{s1, s1}, false},
		{"one replaced", published{s1, slice("s2", "p2")}, false},
		{"one more", published{s1, s2, slice("s3", "p3")}, false},
		{"none", nil, false},
	} {
		if got := inv.With(c.slices) == inv; got != c.same {
			t.Errorf("%s: same inventory: %v, want %v", c.name, got, c.same)
		}
	}
	if New(AllFeatures()).With(published{s1, s1}).published[s1].number != 0 {
		t.Error("a slice that is listed twice counts twice")
	}
	empty := New(AllFeatures())
	if empty.With(nil) != empty {
		t.Error("an empty inventory has changed without slices")
	}
}

// same reports for nodes n1 and n2 whether their view is still the same object.
func same(t *testing.T, before, after *Inventory) [2]bool {
	t.Helper()
	var result [2]bool
	for i, name := range []string{"n1", "n2"} {
		result[i] = mustNode(t, before, node(name)) == mustNode(t, after, node(name))
	}
	return result
}

func TestAChangeIsSeenWhereItMatters(t *testing.T) {
	local := slice("s1", "p1", devices("d1"))
	alone := slice("s2", "p2", onNode("n2"), devices("d1"))
	spanA := slice("s3", "span", of(2), onNode("n2"))
	spanB := slice("s4", "span", of(2), onNode("n3"))
	shared := slice("s5", "shared", onAllNodes(), devices("d1"))
	all := published{local, alone, spanA, spanB, shared}
	for _, c := range []struct {
		name   string
		slices published
		same   [2]bool
	}{
		{"local slice replaced", published{slice("s1", "p1", devices("d1")), alone, spanA, spanB, shared}, [2]bool{false, true}},
		{"local slice gone", published{alone, spanA, spanB, shared}, [2]bool{false, true}},
		{"other pool on the node", append(published{slice("s9", "p9")}, all...), [2]bool{false, true}},
		{"slice on a third node", append(published{slice("s9", "p9", onNode("n3"))}, all...), [2]bool{true, true}},
		{"other node's slice of a pool that spans nodes", published{local, alone, spanA, slice("s4", "span", of(2), onNode("n3")), shared}, [2]bool{true, false}},
		{"shared slice replaced", published{local, alone, spanA, spanB, slice("s5", "shared", onAllNodes())}, [2]bool{false, false}},
		{"newer slice elsewhere of a pool that is complete on the node", append(published{slice("s9", "p1", generation(2), onNode("n3"))}, all...), [2]bool{false, true}},
		{"hidden slice", append(published{slice("s9", "p9", unknownSelection())}, all...), [2]bool{true, true}},
		{"hidden slice of a pool that spans nodes", append(published{slice("s9", "span", unknownSelection())}, all...), [2]bool{true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := inventoryOf(all...)
			if got := same(t, before, before.With(c.slices)); got != c.same {
				t.Errorf("nodes n1 and n2 see the same: %v, want %v", got, c.same)
			}
		})
	}
}

func TestANodeIsRememberedByNameAndLabels(t *testing.T) {
	inv := inventoryOf(slice("s1", "p1", onNodesWith("a"), devices("d1")), slice("s2", "p2", onNode("n2")))
	first := mustNode(t, inv, node("n1", "a"))
	updated := node("n1", "a")
	if mustNode(t, inv, updated) != first {
		t.Error("another object with the same name and labels must be the same node")
	}
	if inv.lineage.views.get("n1").node.Value() != updated {
		t.Error("what is remembered belongs to the old object, and would go with it")
	}
	if got := summary(t, mustNode(t, inv, node("n1", "b"))); got != "" {
		t.Errorf("without the label the node sees %s", got)
	}
	if got := summary(t, mustNode(t, inv, node("n1", "a", "b"))); got != "p1:s1.d1" {
		t.Errorf("with the label again the node sees %s", got)
	}
}

func TestDevicesAndPoolsKeepTheirAddress(t *testing.T) {
	shared := slice("s1", "p1", onAllNodes(), devices("d1"))
	before := inventoryOf(shared)
	after := before.With(published{shared, slice("s2", "p2", onAllNodes())})
	n1, n2, later := mustNode(t, before, node("n1")), mustNode(t, before, node("n2")), mustNode(t, after, node("n1"))
	if n1.Devices[0] != n2.Devices[0] || n1.Devices[0] != later.Devices[0] {
		t.Error("the device of an unchanged slice has another address")
	}
	if n1.Pools[0] != n2.Pools[0] || n1.Pools[0] != later.Pools[0] {
		t.Error("an unchanged pool that two nodes see in the same way has another address")
	}
}

func TestGoneNodesAreForgotten(t *testing.T) {
	stays := node("stays")
	inv := inventoryOf(slice("s1", "p1"), slice("s2", "p2", onAllNodes()))
	first := mustNode(t, inv, stays)
	for i := range 100 {
		mustNode(t, inv, node(fmt.Sprint("gone", i)))
		mustNode(t, inv, node("stays")) // Its object is replaced below.
		mustNode(t, inv, stays)
	}
	older := node("replaced")
	mustNode(t, inv, older)
	mustNode(t, inv, node("replaced"))
	n1 := node("n1")
	mustNode(t, inv, n1)
	inv = inv.With(nil)
	views := inv.lineage.views
	if views.get("n1") != nil {
		t.Error("a node is remembered after its last slice is gone")
	}
	known := func() (n int) {
		for i := range views.shards {
			n += len(*views.shards[i].Load())
		}
		return n
	}
	for range 1000 {
		if known() == 1 {
			break
		}
		runtime.GC() // Cleanups run later, in their own goroutines.
		runtime.Gosched()
	}
	if v := views.get("stays"); v == nil || v.result != first || known() != 1 {
		t.Errorf("%d nodes are remembered, want only the one that is still there", known())
	}
	runtime.KeepAlive(stays)
	runtime.KeepAlive(n1)
	runtime.KeepAlive(older)
}

// For -race: old and new inventories are used concurrently.
func TestConcurrentUse(t *testing.T) {
	inventories := make(chan *Inventory, 100)
	inv := New(AllFeatures())
	for i := range cap(inventories) {
		name := fmt.Sprint("s", i)
		inv = inv.With([]*resourceapi.ResourceSlice{
			slice(name, "p1", devices(name)), slice(name+"b", "p2", onAllNodes(), devices(name)),
		})
		inventories <- inv
	}
	close(inventories)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for inv := range inventories {
				n := mustNode(t, inv, node(fmt.Sprint("n", 1+worker%2)))
				for _, d := range n.Devices {
					if _, found := inv.published[d.Slice]; !found {
						t.Errorf("device %s is of another inventory", d.ID)
					}
				}
			}
		})
	}
	group.Wait()
}
