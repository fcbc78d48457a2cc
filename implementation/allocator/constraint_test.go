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

package allocator

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dra-conformance/dratest/implementation/inventory"
	"github.com/dra-conformance/dratest/implementation/state"
)

func TestValues(t *testing.T) {
	device := &inventory.Device{ID: inventory.DeviceID{Driver: "d.example"}, Spec: &resourceapi.Device{
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"model":           {StringValue: new("a")},
			"numa":            {IntValue: new(int64(1))},
			"ecc":             {BoolValue: new(true)},
			"slow":            {BoolValue: new(false)},
			"firmware":        {VersionValue: new("1.0.0")},
			"x.example/model": {StringValue: new("b")},
			"new":             {},
		},
	}}
	for name, want := range map[resourceapi.FullyQualifiedName]value{
		"d.example/model":    {kind: text, text: "a"},
		"x.example/model":    {kind: text, text: "b"},
		"y.example/model":    {},
		"d.example/numa":     {kind: number, num: 1},
		"d.example/ecc":      {kind: boolean, num: 1},
		"d.example/slow":     {kind: boolean},
		"d.example/firmware": {kind: version, text: "1.0.0"},
		"d.example/new":      {kind: unknown},
		"d.example/none":     {},
	} {
		if got := attribute(name).value(device); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestAccepts(t *testing.T) {
	a, b, strange := value{kind: text, text: "a"}, value{kind: version, text: "a"}, value{kind: unknown}
	for name, test := range map[string]struct {
		kind  constraint
		set   held
		value value
		want  bool
	}{
		"the first":                       {matching{}, nil, a, true},
		"the first of an unknown type":    {matching{}, nil, strange, true},
		"without the attribute":           {matching{}, nil, value{}, false},
		"the same":                        {matching{}, held{a}, a, true},
		"another type":                    {matching{}, held{a}, b, false},
		"an unknown type after the first": {matching{}, held{strange}, strange, false},
		"distinct, the same":              {distinct{}, held{b, a}, a, false},
		"distinct, another":               {distinct{}, held{b}, a, true},
		"distinct, after an unknown type": {distinct{}, held{strange}, a, true},
	} {
		if got := test.kind.accepts(test.set, test.value); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// budget is a constraint unknown to the API: the sum of all values is at most limit.
type budget struct {
	attribute
	limit int64
}

func (b budget) accepts(chosen held, v value) bool {
	sum := v.num
	for _, other := range chosen {
		sum += other.num
	}
	return v.kind == number && sum <= b.limit
}

func (budget) separates() bool { return false }

func (b budget) bound(devices []int, values []value, _ []int) int {
	var costs []int64
	for _, i := range devices {
		costs = append(costs, values[i].num)
	}
	slices.Sort(costs)
	fit, sum := 0, int64(0)
	for _, cost := range costs {
		if sum += cost; sum <= b.limit {
			fit++
		}
	}
	return fit
}

func (budget) key(chosen held) held { return chosen }

// Bounds and search memory treated every kind except matchAttribute and "distinct" as "must match".
func TestThirdKindOfConstraintIsNotMatch(t *testing.T) {
	for name, test := range map[string]struct {
		costs []int64
		limit int64
		count int64
		want  []string // nil if unsatisfiable
	}{
		"other devices than the first":   {[]int64{3, 2, 1, 0}, 3, 3, []string{"1", "2", "3"}},
		"the second choice was wrong":    {[]int64{2, 2, 2, 1, 3}, 6, 4, nil},
		"as many as it allows":           {[]int64{4, 1, 1, 2}, 4, 3, []string{"1", "2", "3"}},
		"what was chosen before matters": {[]int64{2, 1, 2, 0, 1}, 3, 4, nil},
		"the last way":                   {[]int64{3, 2, 1, 0, 0}, 3, 4, []string{"1", "2", "3", "4"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := chosenWithin(t, test.costs, test.count, test.limit)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// chosenWithin allocates count devices with these costs within a budget.
func chosenWithin(t *testing.T, costs []int64, count, limit int64) []string {
	t.Helper()
	slice := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{
		Driver: "d.example", NodeName: new("node"), Pool: resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1},
	}}
	for i, cost := range costs {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{
			Name: string(rune('0' + i)), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"cost": {IntValue: new(cost)}},
		})
	}
	node, err := inventory.New(inventory.AllFeatures()).With([]*resourceapi.ResourceSlice{slice}).Node(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}})
	if err != nil {
		t.Fatal(err)
	}
	claim := &resourceapi.ResourceClaim{}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}}
	claim.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: new(resourceapi.FullyQualifiedName("d.example/cost"))}}
	demand, err := NewDemand([]*resourceapi.ResourceClaim{claim}, Config{
		Features: inventory.AllFeatures(),
		Class:    func(string) (*resourceapi.DeviceClass, error) { return &resourceapi.DeviceClass{}, nil },
		Compile:  func(string) Selector { panic(errors.New("there are no selectors")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	demand.claims[0].constraints[0] = budget{attribute: "d.example/cost", limit: limit}
	result, err := Allocate(t.Context(), Problem{Demand: demand, Node: node, Used: state.New().Snapshot()})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range result.picks {
		names = append(names, node.Devices[p.device].ID.Device)
	}
	return names
}
