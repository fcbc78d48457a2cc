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
	"math"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

func quantity(s string) *resource.Quantity {
	if s == "" {
		return nil
	}
	q := resource.MustParse(s)
	return &q
}

// ranged is a policy with a range; empty bounds are unset.
func ranged(fallback, least, most, step string) *resourceapi.CapacityRequestPolicy {
	return &resourceapi.CapacityRequestPolicy{
		Default:    quantity(fallback),
		ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantity(least), Max: quantity(most), Step: quantity(step)},
	}
}

func valued(fallback string, values ...string) *resourceapi.CapacityRequestPolicy {
	p := &resourceapi.CapacityRequestPolicy{Default: quantity(fallback)}
	for _, v := range values {
		p.ValidValues = append(p.ValidValues, resource.MustParse(v))
	}
	return p
}

func TestConsume(t *testing.T) {
	for name, test := range map[string]struct {
		request string // empty: no request
		policy  *resourceapi.CapacityRequestPolicy
		whole   bool // fractions disabled
		want    string
		err     error
	}{
		"nothing asked for takes all":            {"", nil, false, "10", nil},
		"nothing asked for takes the default":    {"", ranged("2", "1", "", ""), false, "2", nil},
		"the default may be out of range":        {"", ranged("9", "1", "4", ""), false, "9", nil},
		"without policy what is asked for":       {"3", nil, false, "3", nil},
		"less than the minimum":                  {"1", ranged("2", "2", "8", ""), false, "2", nil},
		"in range":                               {"3500m", ranged("2", "2", "8", ""), false, "3500m", nil},
		"more than the maximum":                  {"9", ranged("2", "2", "8", ""), false, "refused", nil},
		"up to the next step":                    {"3", ranged("2", "2", "8", "4"), false, "6", nil},
		"on a step":                              {"6", ranged("2", "2", "8", "4"), false, "6", nil},
		"beyond the maximum by a step":           {"7", ranged("2", "2", "8", "4"), false, "refused", nil},
		"a fraction of a step":                   {"250m", ranged("200m", "200m", "1", "100m"), false, "300m", nil},
		"a fraction that becomes whole":          {"950m", ranged("200m", "200m", "1", "100m"), false, "1", nil},
		"steps in fractions while they are off":  {"1500m", ranged("1", "1", "8", "1"), true, "2", nil},
		"a step that is none":                    {"3", ranged("2", "2", "8", "0"), false, "3", nil},
		"a range without minimum":                {"4", ranged("2", "", "8", "2"), false, "4", nil},
		"the next valid value":                   {"3", valued("1", "1", "4"), false, "4", nil},
		"more than all valid values":             {"5", valued("1", "1", "4"), false, "refused", nil},
		"a policy that says nothing":             {"5", &resourceapi.CapacityRequestPolicy{}, false, "5", nil},
		"less than nothing":                      {"-1", nil, false, "", errNegative},
		"too large for steps":                    {"9223372036854775808", ranged("1", "1", "", "3"), true, "", errNotRepresentable},
		"too large when rounded up":              {"9223372036854775807", ranged("1", "0", "", "2"), true, "", errNotRepresentable},
		"too large for thousandths":              {"9223372036854775807", ranged("1", "1", "", "100m"), false, "", errNotRepresentable},
		"smaller than thousandths":               {"1000001u", ranged("1", "1", "", "100m"), false, "", errNotRepresentable},
		"a default smaller than thousandths":     {"", ranged("1u", "1", "2", "100m"), false, "1u", nil},
		"bounds smaller than thousandths, whole": {"2", ranged("1", "1", "3", "1000001u"), false, "3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			capacity := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"c": {Value: resource.MustParse("10"), RequestPolicy: test.policy}}
			var request *resourceapi.CapacityRequirements
			if test.request != "" {
				request = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"c": resource.MustParse(test.request)}}
			}
			taken, ok, err := consume(request, deviceWith(capacity), !test.whole)
			got := "refused"
			if q := taken["c"]; ok {
				got = q.String()
			}
			if !errors.Is(err, test.err) || err == nil && got != test.want {
				t.Errorf("got %s, %v; want %s, %v", got, err, test.want, test.err)
			}
		})
	}
}

func deviceWith(capacity map[resourceapi.QualifiedName]resourceapi.DeviceCapacity) *inventory.Device {
	return &inventory.Device{ID: inventory.DeviceID{Driver: "gpu.example.com"}, Spec: &resourceapi.Device{Capacity: capacity}}
}

func TestConsumeWhatIsNotThere(t *testing.T) {
	request := &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"other": resource.MustParse("1")}}
	if _, ok, err := consume(request, deviceWith(nil), true); ok || err != nil {
		t.Errorf("got %t, %v", ok, err)
	}
}

// An unrepresentable amount ends the search regardless of the other capacities and their order.
func TestErrorWinsOverRefusal(t *testing.T) {
	capacity := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
		"small": {Value: resource.MustParse("1"), RequestPolicy: valued("1", "1")},
		"huge":  {Value: *resource.NewQuantity(math.MaxInt64, resource.DecimalSI), RequestPolicy: ranged("0", "0", "", "2")},
	}
	request := &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{
		"small": resource.MustParse("2"), "huge": *resource.NewQuantity(math.MaxInt64, resource.DecimalSI),
	}}
	for range 64 {
		if _, _, err := consume(request, deviceWith(capacity), false); !errors.Is(err, errNotRepresentable) {
			t.Fatalf("got %v", err)
		}
	}
}

// The messages had other endings than DynamicResources', against docs/adr/0010.
func TestOverflowMessagesAreThoseOfDynamicResources(t *testing.T) {
	const start = `capacity "c": capacity request cannot be represented in the device's range arithmetic: `
	for name, test := range map[string]struct {
		request string
		policy  *resourceapi.CapacityRequestPolicy
		whole   bool
		want    string
	}{
		"too large":                 {"9223372036854775808", ranged("1", "1", "", "3"), true, "request 9223372036854775808 exceeds MaxInt64"},
		"too large when rounded up": {"9223372036854775807", ranged("1", "0", "", "2"), true, "rounding request 9223372036854775807 up to the next step passes MaxInt64"},
		"too large for thousandths": {"9223372036854775807", ranged("1", "1", "", "100m"), false, "request 9223372036854775807 is not a representable milli value"},
		"thousandths rounded up":    {"9223372036854775807m", ranged("1", "0", "", "100m"), false, "rounding request 9223372036854775807m up to the next step passes the milli-value range"},
	} {
		t.Run(name, func(t *testing.T) {
			capacity := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"c": {Value: resource.MustParse("10"), RequestPolicy: test.policy}}
			request := &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"c": resource.MustParse(test.request)}}
			if _, _, err := consume(request, deviceWith(capacity), !test.whole); err == nil || err.Error() != start+test.want {
				t.Errorf("got  %v\nwant %s", err, start+test.want)
			}
		})
	}
}

// Without a default a request takes the whole capacity.
func TestAllOfACapacityMustBeOnAStep(t *testing.T) {
	policy := ranged("1", "1", "20", "100m")
	policy.Default = nil
	capacity := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"c": {Value: resource.MustParse("10000001u"), RequestPolicy: policy}}
	if taken, ok, err := consume(nil, deviceWith(capacity), true); ok || err != nil {
		t.Errorf("got %v, %v, %v; want a refusal", taken, ok, err)
	}
}
