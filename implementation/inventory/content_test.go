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
	"reflect"
	"runtime"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// contentOf interns a changed device with one attribute and one capacity.
func contentOf(in *interner, change func(*resourceapi.Device)) *Content {
	d := &resourceapi.Device{
		Name:       "name does not matter",
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": {StringValue: ptr.To("x")}},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"c": {
			Value: resource.MustParse("1Gi"),
			RequestPolicy: &resourceapi.CapacityRequestPolicy{
				Default:     ptr.To(resource.MustParse("1")),
				ValidValues: []resource.Quantity{resource.MustParse("1")},
				ValidRange:  &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(resource.MustParse("1"))},
			},
		}},
	}
	change(d)
	return in.intern(driver, d)
}

func setAttribute(name resourceapi.QualifiedName, a resourceapi.DeviceAttribute) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) { d.Attributes[name] = a }
}

func changePolicy(change func(*resourceapi.CapacityRequestPolicy)) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) { change(d.Capacity["c"].RequestPolicy) }
}

func TestDifferentContents(t *testing.T) {
	in := newInterner()
	seen := map[*Content]int{in.intern("other.example.com", &resourceapi.Device{}): -1}
	for i, change := range []func(*resourceapi.Device){
		func(*resourceapi.Device) {},
		func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(true) },
		func(d *resourceapi.Device) { d.AllowMultipleAllocations = ptr.To(false) },
		func(d *resourceapi.Device) { d.Attributes = nil },
		func(d *resourceapi.Device) { d.Capacity = nil },
		func(d *resourceapi.Device) { d.Attributes["b"] = d.Attributes["a"]; delete(d.Attributes, "a") },
		func(d *resourceapi.Device) { d.Capacity["d"] = d.Capacity["c"]; delete(d.Capacity, "c") },
		setAttribute("a", resourceapi.DeviceAttribute{}),
		setAttribute("a", resourceapi.DeviceAttribute{StringValue: ptr.To("y")}),
		setAttribute("a", resourceapi.DeviceAttribute{VersionValue: ptr.To("x")}),
		setAttribute("a", resourceapi.DeviceAttribute{VersionValue: ptr.To("1.0.0")}),
		setAttribute("a", resourceapi.DeviceAttribute{IntValue: ptr.To[int64](1)}),
		setAttribute("a", resourceapi.DeviceAttribute{IntValue: ptr.To[int64](2)}),
		setAttribute("a", resourceapi.DeviceAttribute{BoolValue: ptr.To(true)}),
		setAttribute("a", resourceapi.DeviceAttribute{BoolValue: ptr.To(false)}),
		setAttribute("a", resourceapi.DeviceAttribute{IntValues: []int64{1}}),
		setAttribute("a", resourceapi.DeviceAttribute{BoolValues: []bool{true}}),
		setAttribute("a", resourceapi.DeviceAttribute{StringValues: []string{"x"}}),
		setAttribute("a", resourceapi.DeviceAttribute{StringValues: []string{}}),
		setAttribute("a", resourceapi.DeviceAttribute{VersionValues: []string{"1.0.0"}}),
		func(d *resourceapi.Device) {
			d.Capacity["c"] = resourceapi.DeviceCapacity{Value: resource.MustParse("1Gi")}
		},
		func(d *resourceapi.Device) {
			d.Capacity["c"] = resourceapi.DeviceCapacity{Value: resource.MustParse("1073741824")}
		},
		func(d *resourceapi.Device) {
			d.Capacity["c"] = resourceapi.DeviceCapacity{Value: resource.MustParse("2Gi")}
		},
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.Default = nil }),
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.ValidValues = nil }),
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.ValidValues[0] = resource.MustParse("2") }),
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.ValidRange = nil }),
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.ValidRange.Min = ptr.To(resource.MustParse("2")) }),
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.ValidRange.Max = ptr.To(resource.MustParse("2")) }),
		changePolicy(func(p *resourceapi.CapacityRequestPolicy) { p.ValidRange.Step = ptr.To(resource.MustParse("2")) }),
	} {
		content := contentOf(in, change)
		if other, found := seen[content]; found {
			t.Errorf("contents %d and %d are the same", other, i)
		}
		seen[content] = i
		if contentOf(in, change) != content {
			t.Errorf("content %d is not the same twice", i)
		}
	}
}

// Fields added by a later version of the API must be compared, too.
func TestContentsCompareAllFields(t *testing.T) {
	for _, c := range []struct {
		value  any
		fields int
	}{
		{resourceapi.DeviceAttribute{}, 8},
		{resourceapi.DeviceCapacity{}, 2},
		{resourceapi.CapacityRequestPolicy{}, 3},
		{resourceapi.CapacityRequestPolicyRange{}, 3},
	} {
		if n := reflect.TypeOf(c.value).NumField(); n != c.fields {
			t.Errorf("%T has %d fields, %d are compared", c.value, n, c.fields)
		}
	}
}

func TestContentIsSharedAcrossSlices(t *testing.T) {
	inv := inventoryOf(slice("s1", "p1", devices("d1", "d2")), slice("s2", "p2", onNode("n2"), devices("d1")))
	n1, n2 := mustNode(t, inv, node("n1")), mustNode(t, inv, node("n2"))
	if n1.Devices[0].Content != n1.Devices[1].Content || n1.Devices[0].Content != n2.Devices[0].Content {
		t.Error("devices that look the same have different contents")
	}
	next := inv.With(published{slice("s1", "p1", devices("d1"))})
	if mustNode(t, next, node("n1")).Devices[0].Content != n1.Devices[0].Content {
		t.Error("a replaced slice with the same devices has other contents")
	}
}

func TestKeyOfAContent(t *testing.T) {
	a, b := &Content{}, &Content{}
	first, second := a.Key(), a.Key()
	if first == nil || first != second || first == b.Key() {
		t.Error("each content must have one key of its own")
	}
}

func TestUnusedContentsAreForgotten(t *testing.T) {
	in := newInterner()
	kept := contentOf(in, func(*resourceapi.Device) {})
	for i := range int64(100) {
		contentOf(in, setAttribute("a", resourceapi.DeviceAttribute{IntValue: &i}))
		// Contents with equal hashes share an entry.
		contentOf(in, setAttribute("a", resourceapi.DeviceAttribute{StringValue: ptr.To("x"), IntValue: &i}))
	}
	size := func() (n int) {
		in.mutex.Lock()
		defer in.mutex.Unlock()
		for _, entries := range in.contents {
			n += len(entries)
		}
		return n
	}
	for range 1000 {
		if size() == 1 {
			break
		}
		runtime.GC() // Cleanups run later, in their own goroutines.
		runtime.Gosched()
	}
	if n := size(); n != 1 {
		t.Errorf("%d contents are known, want 1", n)
	}
	runtime.KeepAlive(kept)
}
