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

package load_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/framework/soak/load"
	"github.com/dra-conformance/dratest/framework/spec"
)

func draw(seed int64, n int) []load.Unit {
	g := load.New(seed, load.Kinds())
	var all []load.Unit
	for range n {
		all = append(all, g.Next())
	}
	return all
}

func TestSameSeedSameUnits(t *testing.T) {
	if diff := cmp.Diff(draw(7, 50), draw(7, 50)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(draw(7, 50), draw(8, 50)) {
		t.Error("another seed makes no difference")
	}
}

func TestUnitsVary(t *testing.T) {
	kinds := map[string]int{}
	names := map[string]bool{}
	cut, stay, ended := 0, 0, 0
	for i, u := range draw(1, 200) {
		if i < len(load.Kinds()) && u.Kind != load.Kinds()[i] {
			t.Errorf("unit %d is of kind %s", i, u.Kind.Name)
		}
		kinds[u.Kind.Name]++
		for _, p := range u.Pods {
			if names[p.Name] {
				t.Errorf("two pods are called %s", p.Name)
			}
			names[p.Name] = true
			switch {
			case p.Cut > 0:
				cut++
			case p.Stays:
				stay++
			default:
				ended++
			}
		}
	}
	for _, k := range load.Kinds() {
		if kinds[k.Name] < 10 {
			t.Errorf("%d of 200 units are of kind %s", kinds[k.Name], k.Name)
		}
	}
	if cut < 40 || stay < 40 || ended < 40 {
		t.Errorf("%d pods are cut short, %d stay, %d go", cut, stay, ended)
	}
}

func TestServed(t *testing.T) {
	var got []string
	for _, k := range load.Served(func(f spec.Feature) bool { return f == spec.ConsumableCapacity || f == spec.ExtendedResource }) {
		got = append(got, k.Name)
	}
	want := []string{load.OneDevice, load.TwoDevices, load.TwoClaims, load.TwoPods, load.FirstAvailable, load.Partition}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInventory(t *testing.T) {
	all := load.Inventory(load.Kinds())
	if err := all.Validate(); err != nil {
		t.Error(err)
	}
	if len(all.Pools) != 4 || len(load.Inventory(load.Slots()).Pools) != 1 {
		t.Errorf("pools: %v", all.Pools)
	}
	parts := all.Pools[slices.IndexFunc(all.Pools, func(p spec.Pool) bool { return p.Suffix == "parts" })]
	if len(parts.SharedCounters) != 2 || len(parts.Devices) != 14 {
		t.Errorf("%d counter sets and %d devices in parts", len(parts.SharedCounters), len(parts.Devices))
	}
}

// Objects referred to by a unit must exist, and each of its pods must use a device.
func TestObjectsFitTogether(t *testing.T) {
	names := load.Names{Driver: "soak.example.org", Image: "busybox"}
	classes, resources, templates := map[string]bool{}, map[corev1.ResourceName]bool{}, map[string]bool{}
	for _, c := range names.Classes(load.Kinds()) {
		classes[c.Name] = true
		if r := c.Spec.ExtendedResourceName; r != nil {
			resources[corev1.ResourceName(*r)] = true
		}
	}
	check := func(r resourceapi.DeviceRequest) {
		if r.Exactly != nil && !classes[r.Exactly.DeviceClassName] {
			t.Errorf("no class %s", r.Exactly.DeviceClassName)
		}
		for _, s := range r.FirstAvailable {
			if !classes[s.DeviceClassName] {
				t.Errorf("no class %s", s.DeviceClassName)
			}
		}
	}
	for _, template := range names.Templates(load.Kinds()) {
		templates[template.Name] = true
		check(template.Spec.Spec.Devices.Requests[0])
	}
	for _, u := range draw(3, 100) {
		claims := map[string]bool{}
		for _, c := range names.Claims(u) {
			claims[c.Name] = true
			check(c.Spec.Devices.Requests[0])
		}
		for _, p := range names.Pods(u) {
			asks := len(p.Spec.ResourceClaims)
			for _, c := range p.Spec.ResourceClaims {
				if c.ResourceClaimName != nil && !claims[*c.ResourceClaimName] || c.ResourceClaimTemplateName != nil && !templates[*c.ResourceClaimTemplateName] {
					t.Errorf("pod %s: there is nothing for %+v", p.Name, c)
				}
			}
			for r := range p.Spec.Containers[0].Resources.Limits {
				if resources[r] {
					asks++
				}
			}
			if asks == 0 {
				t.Errorf("pod %s asks for no device", p.Name)
			}
		}
	}
}

// On simulated nodes no pod ends by itself: each is deleted, most after they have run.
func TestHeldPodsAreDeleted(t *testing.T) {
	g, cut := load.NewHeld(1, load.Slots()), 0
	for range 200 {
		for _, p := range g.Next().Pods {
			if (p.Cut > 0) == (p.Holds > 0) {
				t.Fatalf("pod %s is cut after %s and held for %s", p.Name, p.Cut, p.Holds)
			}
			if p.Cut > 0 {
				cut++
			}
		}
	}
	if cut < 50 || cut > 120 {
		t.Errorf("%d pods are deleted at any moment", cut)
	}
}
