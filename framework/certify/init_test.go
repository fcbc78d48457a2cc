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
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/dra-conformance/dratest/drivers/declarations"
	"github.com/dra-conformance/dratest/framework/objects"
)

func TestDraftClasses(t *testing.T) {
	one := *objects.Class("a-single", driver)
	one.Spec.Selectors = append(one.Spec.Selectors, objects.Selector(`device.attributes["`+driver+`"].index == 1`))
	class := func(name string) resourceapi.DeviceClass { return *objects.Class(name, driver) }
	for _, tc := range []struct {
		name    string
		change  func(*world)
		classes []string
		why     string
		err     string
	}{
		{"one", func(*world) {}, []string{"gpu"}, "the only one that selects devices of the driver", ""},
		{"most devices", func(w *world) { w.classes = append([]resourceapi.DeviceClass{one}, w.classes...) }, []string{"gpu", "a-single"}, "the one with the most devices (4)", ""},
		{"by name", func(w *world) { w.classes = append(w.classes, class("all")) }, []string{"all", "gpu"}, "the first by name of those with 4 devices", ""},
		{"driver's name", func(w *world) { w.classes = append(w.classes, class("all"), class(driver)) }, []string{driver, "all", "gpu"}, "the one with the driver's name", ""},
		{"empty slices", func(w *world) { w.slices[0].Spec.Devices, w.slices[1].Spec.Devices = nil, nil }, nil, "", "publishes no device: its 2 ResourceSlice(s) are empty"},
		{"no slice", func(w *world) { w.slices = nil }, nil, "", "there is no ResourceSlice of the driver"},
		{"no class", func(w *world) { w.classes = []resourceapi.DeviceClass{*objects.Class("other", "other.example.com")} }, nil, "", "publishes 4 device(s), and none of the 1 device class(es) selects one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := installed()
			tc.change(&w)
			classes, _, err := w.draftClasses(t.Context(), declarations.Declaration{Driver: driver, Deploy: declared().Deploy})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !errors.Is(err, ErrNotThere) && !errors.Is(err, ErrDriver) {
					t.Errorf("got %v, want %q", err, tc.err)
				}
				return
			}
			var names []string
			for _, c := range classes {
				names = append(names, c.Name)
			}
			if err != nil || !slices.Equal(names, tc.classes) {
				t.Fatalf("classes %v, want %v; %v", names, tc.classes, err)
			}
			if why := whyFirst(driver, classes); !strings.Contains(why, tc.why) {
				t.Errorf("says %q, want %q", why, tc.why)
			}
		})
	}
}

// TestInitToleratesTaints: on a cluster whose workers are all tainted, init wrote nothing.
func TestInitToleratesTaints(t *testing.T) {
	w := installed()
	w.nodes = map[string]labels.Set{}
	node := func(name string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	gpu := corev1.Taint{Key: "gpu", Value: "a", Effect: corev1.TaintEffectNoSchedule}
	client := fake.NewClientset(node("a", gpu), node("b", corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}), node("control-plane", gpu))
	tolerations, err := w.tolerateTaints(t.Context(), client)
	want := []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}
	if _, used := w.nodes["a"]; err != nil || !slices.Equal(tolerations, want) || !used || len(w.nodes) != 1 {
		t.Errorf("tolerations %v, nodes %v, %v", tolerations, w.nodes, err)
	}
}

// TestInitQuotesTaints: the declaration of a driver on nodes with the taint "true" could not be read.
func TestInitQuotesTaints(t *testing.T) {
	w := installed()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "true", Effect: corev1.TaintEffectNoExecute}}}}
	text, err := Init(t.Context(), fake.NewClientset(node, &w.slices[0], &w.classes[0]), driver, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := declarations.Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	of, err := objects.TemplateSpec(d.Workload.Template)
	want := []corev1.Toleration{{Key: "true", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}}
	if err != nil || !slices.Equal(of.Tolerations, want) {
		t.Errorf("tolerations %v, %v", of.Tolerations, err)
	}
}
