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
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

const benchNodes = 500

// benchSlice is local to a node and has 8 devices with a few attributes.
func benchSlice(i int) *resourceapi.ResourceSlice {
	name := fmt.Sprint("node-", i)
	s := slice(name, name, onNode(name))
	for j := range 8 {
		device(fmt.Sprint("gpu-", j), func(d *resourceapi.Device) {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"model":  {StringValue: ptr.To("a100")},
				"index":  {IntValue: ptr.To(int64(j))},
				"driver": {VersionValue: ptr.To("1.2.3")},
			}
		})(s)
	}
	return s
}

func benchInventory() (*Inventory, []*resourceapi.ResourceSlice, []*corev1.Node) {
	var all []*resourceapi.ResourceSlice
	var nodes []*corev1.Node
	for i := range benchNodes {
		all = append(all, benchSlice(i))
		nodes = append(nodes, node(fmt.Sprint("node-", i)))
	}
	return inventoryOf(all...), all, nodes
}

func BenchmarkWithUnchanged(b *testing.B) {
	inv, all, _ := benchInventory()
	b.ReportAllocs()
	for b.Loop() {
		if inv.With(all) != inv {
			b.Fatal("the inventory has changed")
		}
	}
}

func BenchmarkWithOneChanged(b *testing.B) {
	inv, all, _ := benchInventory()
	changed := [2]*resourceapi.ResourceSlice{benchSlice(17), benchSlice(17)}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i = 1 - i
		all[17] = changed[i]
		next := inv.With(all)
		if next == inv {
			b.Fatal("the inventory has not changed")
		}
		inv = next
	}
}

func BenchmarkNodeCached(b *testing.B) {
	inv, _, nodes := benchInventory()
	for _, node := range nodes {
		mustNode(b, inv, node)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 1) % benchNodes
		if n, err := inv.Node(nodes[i]); err != nil || len(n.Devices) != 8 {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkNodeRebuilt(b *testing.B) {
	inv, _, nodes := benchInventory()
	b.ReportAllocs()
	for b.Loop() {
		if v := newView(inv, nodes[17]); v.err != nil || len(v.result.Devices) != 8 {
			b.Fatal(v)
		}
	}
}

// The benchmark has 500 slices on shared storage, each for nodes with its own label.
func BenchmarkNodeRebuiltWithSelectors(b *testing.B) {
	var all []*resourceapi.ResourceSlice
	for i := range benchNodes {
		name := fmt.Sprint("rack-", i)
		all = append(all, slice(name, name, onNodesWith(name), devices("d1")))
	}
	inv, n := inventoryOf(all...), node("n1", "rack-17")
	b.ReportAllocs()
	for b.Loop() {
		if v := newView(inv, n); v.err != nil || len(v.result.Devices) != 1 {
			b.Fatal(v)
		}
	}
}
