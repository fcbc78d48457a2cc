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
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const driver = "driver.example.com"

type option func(*resourceapi.ResourceSlice)

// slice is the only slice of an empty pool local to node n1.
func slice(name, pool string, options ...option) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   driver,
			Pool:     resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1},
			NodeName: ptr.To("n1"),
		},
	}
	for _, o := range options {
		o(s)
	}
	return s
}

func of(count int64) option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Pool.ResourceSliceCount = count }
}

func generation(g int64) option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Pool.Generation = g }
}

func byDriver(name string) option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Driver = name }
}

func onNode(name string) option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName = &name }
}

func onAllNodes() option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName, s.Spec.AllNodes = nil, ptr.To(true) }
}

func unknownSelection() option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName = nil }
}

func onNodesWith(label string) option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName, s.Spec.NodeSelector = nil, hasLabel(label) }
}

func perDevice() option {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName, s.Spec.PerDeviceNodeSelection = nil, ptr.To(true) }
}

// hasLabel selects nodes with a label; "broken!" does not parse.
func hasLabel(label string) *corev1.NodeSelector {
	requirement := corev1.NodeSelectorRequirement{Key: label, Operator: corev1.NodeSelectorOpExists}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{requirement},
	}}}
}

const broken = "broken!"

func devices(names ...string) option {
	return func(s *resourceapi.ResourceSlice) {
		for _, name := range names {
			s.Spec.Devices = append(s.Spec.Devices, resourceapi.Device{Name: name})
		}
	}
}

func device(name string, change func(*resourceapi.Device)) option {
	return func(s *resourceapi.ResourceSlice) {
		d := resourceapi.Device{Name: name}
		change(&d)
		s.Spec.Devices = append(s.Spec.Devices, d)
	}
}

func consumer(name, set, counter string) option {
	return device(name, func(d *resourceapi.Device) {
		d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{
			CounterSet: set,
			Counters:   map[string]resourceapi.Counter{counter: {Value: resource.MustParse("1")}},
		}}
	})
}

func counterSet(name string, counters ...string) option {
	return func(s *resourceapi.ResourceSlice) {
		set := resourceapi.CounterSet{Name: name, Counters: make(map[string]resourceapi.Counter)}
		for _, counter := range counters {
			set.Counters[counter] = resourceapi.Counter{Value: resource.MustParse("10")}
		}
		s.Spec.SharedCounters = append(s.Spec.SharedCounters, set)
	}
}

// node has labels without values.
func node(name string, labels ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for _, label := range labels {
		n.Labels[label] = ""
	}
	return n
}

func inventoryOf(slices ...*resourceapi.ResourceSlice) *Inventory {
	return New(AllFeatures()).With(slices)
}

func mustNode(t testing.TB, inv *Inventory, node *corev1.Node) *Node {
	t.Helper()
	n, err := inv.Node(node)
	if err != nil {
		t.Fatalf("node %s: %v", node.Name, err)
	}
	return n
}
