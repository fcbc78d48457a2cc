package allocator

import (
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/dra-conformance/dratest/implementation/inventory"
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
	for attribute, want := range map[resourceapi.FullyQualifiedName]value{
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
		if got := (constraint{attribute: attribute}).value(device); got != want {
			t.Errorf("%s: got %v, want %v", attribute, got, want)
		}
	}
}

func TestAccepts(t *testing.T) {
	a, b, strange := value{kind: text, text: "a"}, value{kind: version, text: "a"}, value{kind: unknown}
	for name, test := range map[string]struct {
		distinct bool
		set      held
		value    value
		want     bool
	}{
		"the first":                       {false, nil, a, true},
		"the first of an unknown type":    {false, nil, strange, true},
		"without the attribute":           {false, nil, value{}, false},
		"the same":                        {false, held{a}, a, true},
		"another type":                    {false, held{a}, b, false},
		"an unknown type after the first": {false, held{strange}, strange, false},
		"distinct, the same":              {true, held{b, a}, a, false},
		"distinct, another":               {true, held{b}, a, true},
		"distinct, after an unknown type": {true, held{strange}, a, true},
	} {
		if got := (constraint{distinct: test.distinct}).accepts(test.set, test.value); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
