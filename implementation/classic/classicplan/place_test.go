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
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

func on(t *testing.T, names ...string) *nodeaffinity.NodeSelector {
	t.Helper()
	selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "name", Operator: corev1.NodeSelectorOpIn, Values: names}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return selector
}

func TestFits(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"name": "a"}}}
	here, elsewhere := on(t, "a", "b"), on(t, "b")
	tests := []struct {
		name     string
		places   []classicplan.Place
		rejected []string
		want     string
	}{
		{"no claims", nil, nil, "[] "},
		{"everywhere", []classicplan.Place{{Allocated: true}, {}}, nil, "[] "},
		{"allocated here, and may be allocated here", []classicplan.Place{{Allocated: true, Nodes: here}, {Nodes: here}}, nil, "[] "},
		{"allocated elsewhere", []classicplan.Place{{Allocated: true, Nodes: here}, {Allocated: true, Nodes: elsewhere}}, nil, "[1] "},
		{"the class does not suit", []classicplan.Place{{Allocated: true, Nodes: elsewhere}, {Nodes: elsewhere, Class: "rc"}}, nil, "[] resource class rc does not suit the node"},
		{"a driver refuses", []classicplan.Place{{Allocated: true, Nodes: elsewhere}, {}}, []string{"a"}, "[] a driver cannot allocate a claim for the node"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stuck, why := classicplan.Fits(test.places, sets.New(test.rejected...), node)
			if got := fmt.Sprint(stuck, " ", why); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestHandled(t *testing.T) {
	classes := map[string]*resourceapi.DeviceClass{"example": {}, "structured": {}}
	config := resourceapi.DeviceClassConfiguration{}
	config.Opaque = &resourceapi.OpaqueDeviceConfiguration{Driver: v1alpha1.GroupName}
	config.Opaque.Parameters.Raw = []byte(`{"apiVersion":"` + v1alpha1.GroupName + `/v1alpha1","kind":"ClassConfig","resourceClassName":"rc"}`)
	classes["example"].Spec.Config = []resourceapi.DeviceClassConfiguration{config}
	of := func(class string) claimChange {
		return func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.DeviceClassName = class }
	}
	two := func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.Count = 2 }
	wrong := func(c *resourceapi.ResourceClaim) {
		c.Status.Allocation.Devices.Config[0].Opaque.Parameters.Raw = []byte(`{}`)
	}
	tests := []struct {
		name    string
		claim   *resourceapi.ResourceClaim
		handled bool
		mistake string
	}{
		{"classic", claim(), true, ""},
		{"structured", claim(of("structured")), false, ""},
		{"the class is unknown", claim(of("missing")), false, ""},
		{"classic with a mistake", claim(two), true, "must be for one device"},
		{"allocated by a driver", claim(limited(1)), true, ""},
		{"allocated by a driver, and the class is gone", claim(of("missing"), limited(1)), true, ""},
		{"allocated by a scheduler before the class became classic", claim(allocated), false, ""},
		{"allocated with a broken configuration", claim(limited(1), wrong), true, "must be AllocationConfig"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, handled, err := classicplan.Handled(test.claim, func(name string) *resourceapi.DeviceClass { return classes[name] })
			if handled != test.handled || (err == nil) != (test.mistake == "") || err != nil && !strings.Contains(err.Error(), test.mistake) {
				t.Errorf("handled %t, %v", handled, err)
			}
		})
	}
}
