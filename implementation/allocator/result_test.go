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

package allocator_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/google/go-cmp/cmp"
)

// allocation returns the first claim's allocation.
func (w world) allocation(t *testing.T) resourceapi.AllocationResult {
	t.Helper()
	r, err := w.allocate(t)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Fits() {
		t.Fatal(r.Reason())
	}
	n := 0
	return r.Allocations(func() types.UID { n++; return types.UID(fmt.Sprint("share-", n)) })[0]
}

func opaque(requests ...string) resourceapi.DeviceClaimConfiguration {
	return resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver},
	}}
}

func TestConfiguration(t *testing.T) {
	c := claim("c", exactly("r", 1), either("s", alternative("many", 9), alternative("one", 1)))
	c.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{
		opaque(), opaque("r"), opaque("s"), opaque("s/one"), opaque("s/many"), opaque("r", "s/one"),
	}
	var got []string
	for _, config := range (world{devices: gpus(2), claims: list(c), classConfig: 2}).allocation(t).Devices.Config {
		got = append(got, fmt.Sprintf("%s%v", config.Source, config.Requests))
	}
	want := "FromClass[] FromClass[] FromClaim[] FromClaim[r] FromClaim[s] FromClaim[s/one] FromClaim[]"
	if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
		t.Error(d)
	}
}

func TestDeviceResult(t *testing.T) {
	device := gpu("a", shared("8Gi"))
	device.BindingConditions = []string{"attached"}
	device.BindingFailureConditions = []string{"lost"}
	request := exactly("r", 1, memory("3Gi"), tolerating, admin)
	got := world{devices: []resourceapi.Device{device}, claims: list(claim("c", request))}.allocation(t).Devices.Results[0]
	want := resourceapi.DeviceRequestAllocationResult{
		Request: "r", Driver: driver, Pool: "node", Device: "a",
		AdminAccess: new(true), Tolerations: request.Exactly.Tolerations,
		ShareID: new(types.UID("share-1")), ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("3Gi")},
		BindingConditions: []string{"attached"}, BindingFailureConditions: []string{"lost"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func zone(name string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpNotIn, Values: []string{name}}},
	}}}
}

func TestNodeSelector(t *testing.T) {
	in := func(name string, selector *corev1.NodeSelector, devices ...resourceapi.Device) *resourceapi.ResourceSlice {
		s := pool(name, devices...)
		s.Spec.NodeName, s.Spec.NodeSelector, s.Spec.AllNodes = nil, selector, nil
		if selector == nil {
			s.Spec.AllNodes = new(true)
		}
		return s
	}
	each := in("each", nil, gpu("each", func(d *resourceapi.Device) { d.NodeSelector = zone("c") }))
	each.Spec.AllNodes, each.Spec.PerDeviceNodeSelection = nil, new(true)
	bound := gpu("bound", func(d *resourceapi.Device) { d.BindsToNode = new(true) })
	for name, test := range map[string]struct {
		slices []*resourceapi.ResourceSlice
		want   string
	}{
		"everywhere":          {[]*resourceapi.ResourceSlice{in("p", nil, gpu("a"))}, ""},
		"where both are":      {[]*resourceapi.ResourceSlice{in("p", zone("a"), gpu("a")), in("q", zone("b"), gpu("b"))}, "zone[a] zone[b]"},
		"the same only once":  {[]*resourceapi.ResourceSlice{in("p", zone("a"), gpu("a")), in("q", zone("a"), gpu("b"))}, "zone[a]"},
		"one is local":        {[]*resourceapi.ResourceSlice{in("p", zone("a"), gpu("a")), pool("q", gpu("b"))}, "metadata.name[node]"},
		"one binds":           {[]*resourceapi.ResourceSlice{in("p", zone("a"), gpu("a")), in("q", nil, bound)}, "metadata.name[node]"},
		"the device's choice": {[]*resourceapi.ResourceSlice{each}, "zone[c]"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			if selector := (world{slices: test.slices, claims: list(claim("c", exactly("r", int64(len(test.slices)))))}).allocation(t).NodeSelector; selector != nil {
				for _, r := range append(selector.NodeSelectorTerms[0].MatchFields, selector.NodeSelectorTerms[0].MatchExpressions...) {
					got = append(got, r.Key+fmt.Sprint(r.Values))
				}
			}
			if d := cmp.Diff(test.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
	two := in("p", zone("a"), gpu("a"))
	two.Spec.NodeSelector.NodeSelectorTerms = append(two.Spec.NodeSelector.NodeSelectorTerms, zone("b").NodeSelectorTerms...)
	if r, err := (world{slices: []*resourceapi.ResourceSlice{two}, claims: list(claim("c", exactly("r", 1)))}).allocate(t); err == nil {
		t.Errorf("two terms cannot be recorded, got %s", got(r))
	}
}
