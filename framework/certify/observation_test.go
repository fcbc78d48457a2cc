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

package certify

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/drivers/profiles"
	"github.com/dra-conformance/dratest/framework/objects"
	"github.com/dra-conformance/dratest/framework/spec"
)

const driver = "gpu.example.com"

func declared() declarations.Declaration {
	return declarations.Declaration{Driver: driver, Classes: []declarations.Class{{Name: "gpu", DevicesPerNode: 2}}, Deploy: declarations.Deploy{DaemonSet: "gpu/gpu"}}
}

// installed is a driver with two devices on each of two nodes.
func installed() world {
	w := world{nodes: map[string]labels.Set{"a": {}, "b": {"gpu": "no"}}, classes: []resourceapi.DeviceClass{*objects.Class("gpu", driver)}, daemonSet: &appsv1.DaemonSet{}}
	w.daemonSet.Status.DesiredNumberScheduled = 2
	for _, node := range []string{"a", "b"} {
		w.slices = append(w.slices, resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
			Driver: driver, NodeName: ptr.To(node), Pool: resourceapi.ResourcePool{Name: node, ResourceSliceCount: 1}, Devices: profiles.TwoDevices().Pools[0].Devices,
		}})
	}
	return w
}

func TestSee(t *testing.T) {
	for _, tc := range []struct {
		name    string
		change  func(*declarations.Declaration, *world)
		err     error
		message string
	}{
		{"fits", func(*declarations.Declaration, *world) {}, nil, "a: 2 free, b: 2 free"},
		{"not installed", func(_ *declarations.Declaration, w *world) { w.slices, w.daemonSet = nil, nil }, ErrNotThere, "is not installed: there is neither daemon set gpu/gpu nor a ResourceSlice of the driver: install it"},
		{"nothing declared to look at", func(d *declarations.Declaration, w *world) { w.slices, d.Deploy.DaemonSet = nil, "" }, ErrNotThere, "install the driver, or name its daemon set"},
		{"empty slices", func(_ *declarations.Declaration, w *world) {
			w.slices[0].Spec.Devices, w.slices[1].Spec.Devices = nil, nil
		}, ErrNotThere, "publishes no device: its 2 ResourceSlice(s) are empty"},
		{"on no node", func(_ *declarations.Declaration, w *world) { w.slices, w.daemonSet = nil, &appsv1.DaemonSet{} }, ErrNotThere, "fit no node: correct them, or give nodes the labels"},
		{"not on a node any more", func(_ *declarations.Declaration, w *world) { w.pods, w.daemonSet = nil, &appsv1.DaemonSet{} }, ErrNotThere, "is installed on no node: daemon set gpu/gpu has no pod"},
		{"crashes", func(_ *declarations.Declaration, w *world) {
			w.slices, w.pods = nil, []corev1.Pod{waiting("CrashLoopBackOff")}
		}, ErrDriver, "does not run: pod gpu/gpu-x on node a: container c waits: CrashLoopBackOff; its log says more: kubectl logs -n gpu gpu-x"},
		{"publishes nothing", func(_ *declarations.Declaration, w *world) { w.slices = nil }, ErrDriver, "there is no ResourceSlice of the driver: see to its log, to its right to create ResourceSlices"},
		{"half a pool", func(_ *declarations.Declaration, w *world) { w.slices[0].Spec.Pool.ResourceSliceCount = 2 }, ErrDriver, "pool a has 1 slices of generation 0, and says that it has 2"},
		{"no class", func(_ *declarations.Declaration, w *world) { w.classes = nil }, ErrNotThere, "device class gpu is not there"},
		{"class selects nothing", func(d *declarations.Declaration, _ *world) {
			d.Classes[0].Selectors = []string{`device.attributes["` + driver + `"].model == "z"`}
		}, ErrNotThere, "selects none of the devices"},
		{"selector is no CEL", func(d *declarations.Declaration, _ *world) { d.Classes[0].Selectors = []string{"("} }, ErrNotThere, "cannot be compiled"},
		{"another node's label", func(d *declarations.Declaration, _ *world) { d.Nodes.Selector = map[string]string{"gpu": "no"} }, nil, "b: 2 free"},
		{"held", func(_ *declarations.Declaration, w *world) {
			w.claims = []resourceapi.ResourceClaim{holding("a", "device-0")}
		}, nil,
			"a: 1 free, b: 2 free, device a/device-0 of node a is held by claim team/job, in use by pods/p"},
		{"a pod that publishes nothing", func(_ *declarations.Declaration, w *world) {
			w.slices, w.pods = w.slices[:1], []corev1.Pod{{Spec: corev1.PodSpec{NodeName: "b"}}, {Spec: corev1.PodSpec{NodeName: "elsewhere"}}}
		}, nil, "a: 2 free, node b has 0 device(s) of class gpu, the declaration says 2"},
		{"too few", func(d *declarations.Declaration, _ *world) { d.Classes[0].DevicesPerNode = 3 }, nil, "node a has 2 device(s) of class gpu, the declaration says 3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, w := declared(), installed()
			tc.change(&d, &w)
			s, err := newObservation(t.Context(), d, w)
			var said []string
			for _, node := range s.nodes() {
				said = append(said, node+": "+string(rune('0'+s.free[node]))+" free")
			}
			text := strings.Join(append(append(said, s.held...), s.short...), ", ")
			if err != nil {
				text = err.Error()
			}
			if !errors.Is(err, tc.err) || !strings.Contains(text, tc.message) {
				t.Errorf("says %q, want %q", text, tc.message)
			}
		})
	}
}

// TestClassesOfFeatures: cases of a feature request devices of the class declaring it.
func TestClassesOfFeatures(t *testing.T) {
	d, w := declared(), installed()
	part := *objects.Class("part", driver)
	part.Spec.Selectors = append(part.Spec.Selectors, objects.Selector(`device.attributes["`+driver+`"].index == 1`))
	w.classes = append(w.classes, part)
	w.claims = []resourceapi.ResourceClaim{holding("a", "device-0")}
	d.Classes = append(d.Classes,
		declarations.Class{Name: "part", DevicesPerNode: 2, Selectors: []string{"true"}, Features: declarations.ClassFeatures{spec.DriverPartitionable}},
		declarations.Class{Name: "none", DevicesPerNode: 1})
	s, err := newObservation(t.Context(), d, w)
	if err != nil {
		t.Fatal(err)
	}
	driver := s.driverUnderTest(d, w)
	for feature, want := range map[spec.DriverFeature]spec.DriverClass{
		spec.DriverPartitionable: {Class: "part", Selectors: []string{"true"}, Nodes: []string{"a", "b"}, Devices: 1},
		spec.DriverHealth:        {Class: "gpu", Nodes: []string{"a", "b"}, Devices: 1},
	} {
		if difference := cmp.Diff(want, driver.ClassFor([]spec.DriverFeature{feature})); difference != "" {
			t.Errorf("class for cases of %s: %s", feature, difference)
		}
	}
	want := []string{"node a has 1 device(s) of class part, the declaration says 2", "node b has 1 device(s) of class part, the declaration says 2"}
	if difference := cmp.Diff(want, s.short); difference != "" {
		t.Error(difference)
	}
	var out strings.Builder
	printPreflight(&out, d, s, spec.Plan{}, 1, "")
	for _, line := range []string{"class     part: for partitionable, at least 1 free device(s) on each node that has some\n", "unused    class none, which is not the first one and names no features: no case uses it yet\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("the screen says %q, want %q", out.String(), line)
		}
	}
}

// TestNodesOfFeatures: a node may have devices of a feature and none of the first class, and devices of a fabric are
// on none.
func TestNodesOfFeatures(t *testing.T) {
	d, w := declared(), installed()
	index := func(n int) []string { return []string{fmt.Sprintf(`device.attributes["%s"].index == %d`, driver, n)} }
	d.Classes[0].Selectors, d.Classes[0].DevicesPerNode = index(0), 1
	w.slices[1].Spec.Devices = w.slices[1].Spec.Devices[1:] // node b has no device-0
	fabric := w.slices[0]
	fabric.Spec.NodeName, fabric.Spec.AllNodes, fabric.Spec.Pool.Name = nil, ptr.To(true), "fabric"
	fabric.Spec.Devices = []resourceapi.Device{profiles.Device(7, "a", "8Gi")}
	w.slices = append(w.slices, fabric)
	d.Classes = append(d.Classes,
		declarations.Class{Name: "gpu", DevicesPerNode: 1, Selectors: index(1), Features: declarations.ClassFeatures{spec.DriverPartitionable}},
		declarations.Class{Name: "gpu", DevicesPerNode: 1, Selectors: index(7), Features: declarations.ClassFeatures{spec.DriverBindingConditions}})
	s, err := newObservation(t.Context(), d, w)
	if err != nil || len(s.short) > 0 {
		t.Fatalf("%v, short: %v", err, s.short)
	}
	driver := s.driverUnderTest(d, w)
	for feature, want := range map[spec.DriverFeature][]string{spec.DriverHealth: {"a"}, spec.DriverPartitionable: {"a", "b"}, spec.DriverBindingConditions: {"a"}} {
		if class := driver.ClassFor([]spec.DriverFeature{feature}); !slices.Equal(class.Nodes, want) || class.Devices != 1 {
			t.Errorf("class for cases of %s: %+v", feature, class)
		}
	}
}

func waiting(reason string) corev1.Pod {
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "gpu-x"}, Spec: corev1.PodSpec{NodeName: "a"}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
	return p
}

func holding(pool, device string) resourceapi.ResourceClaim {
	c := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "job"}}
	c.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "p"}}
	c.Status.Allocation = &resourceapi.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{Driver: driver, Pool: pool, Device: device}}
	return c
}
