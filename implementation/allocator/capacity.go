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
	"fmt"
	"math"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dra-conformance/dratest/implementation/inventory"
)

var (
	errNotRepresentable = errors.New("capacity request cannot be represented in the device's range arithmetic")
	errNegative         = errors.New("capacity value is negative")
	errBothNames        = errors.New("also requested as")
)

// amounts are quantities by inventory.LocalName.
type amounts map[resourceapi.QualifiedName]resource.Quantity

// plus adds other to a, which may be nil, and returns a.
func (a amounts) plus(other amounts) amounts {
	if a == nil && len(other) > 0 {
		a = make(amounts, len(other))
	}
	for name, q := range other {
		sum := a[name].DeepCopy()
		sum.Add(q)
		a[name] = sum
	}
	return a
}

// minus undoes plus.
func (a amounts) minus(other amounts) amounts {
	for name, q := range other {
		rest := a[name].DeepCopy()
		rest.Sub(q)
		a[name] = rest
	}
	return a
}

// consume returns the capacity a subrequest consumes on a device (KEP-5075): the request rounded up
// per the device's policy, the policy's default, or everything. ok is false if the device lacks a
// requested capacity or its policy forbids the amount. An error means the amount is invalid for every
// device.
func consume(requested *resourceapi.CapacityRequirements, device *inventory.Device, fractional bool) (taken amounts, ok bool, err error) {
	wanted, err := localRequests(requested, device.ID.Driver)
	if err != nil || lacks(device, wanted) {
		return nil, false, err
	}
	taken = make(amounts, len(device.Spec.Capacity))
	for name, c := range device.Spec.Capacity {
		local := inventory.LocalName(device.ID.Driver, name)
		if _, both := device.Spec.Capacity[local]; both && name != local {
			continue // published by both of its names: the short one decides, and leaves keeps both
		}
		want, asked := wanted[local]
		q, err := roundUp(want, asked, c, fractional)
		if err == nil && q.Sign() < 0 {
			err = errNegative
		}
		if err != nil {
			return nil, false, fmt.Errorf("capacity %q: %w", name, err)
		}
		taken[local] = q
	}
	// Errors above win over refusals, in any order of capacities.
	for name, c := range device.Spec.Capacity {
		if c.RequestPolicy != nil && forbidden(taken[inventory.LocalName(device.ID.Driver, name)], c.RequestPolicy, fractional) {
			return nil, false, nil
		}
	}
	return taken, true, nil
}

// lacks reports whether a device has not all of the wanted capacities.
func lacks(device *inventory.Device, wanted amounts) bool {
	for local := range wanted {
		if _, ok := device.Spec.Capacity[local]; ok {
			continue
		}
		if _, ok := device.Spec.Capacity[resourceapi.QualifiedName(device.ID.Driver)+"/"+local]; !ok {
			return true
		}
	}
	return false
}

// localRequests returns the requested amounts by local name. Asking for one capacity by both of its
// names is an error.
func localRequests(requested *resourceapi.CapacityRequirements, driver string) (amounts, error) {
	if requested == nil {
		return nil, nil
	}
	wanted := make(amounts, len(requested.Requests))
	for name, q := range requested.Requests {
		local := inventory.LocalName(driver, name)
		if _, twice := wanted[local]; twice {
			return nil, fmt.Errorf("capacity %q: %w %q", local, errBothNames, driver+"/"+string(local))
		}
		wanted[local] = q
	}
	return wanted, nil
}

// roundUp returns the consumed amount of one capacity.
func roundUp(want resource.Quantity, asked bool, c resourceapi.DeviceCapacity, fractional bool) (resource.Quantity, error) {
	policy := c.RequestPolicy
	switch {
	case !asked && policy != nil && policy.Default != nil:
		return policy.Default.DeepCopy(), nil
	case !asked:
		return c.Value.DeepCopy(), nil
	case policy == nil:
		return want.DeepCopy(), nil
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		return roundUpRange(want, policy.ValidRange, fractional)
	}
	for _, valid := range policy.ValidValues {
		if want.Cmp(valid) <= 0 {
			return valid.DeepCopy(), nil
		}
	}
	return want, nil
}

// roundUpRange rounds up to the minimum, then to the next step above it.
func roundUpRange(want resource.Quantity, r *resourceapi.CapacityRequestPolicyRange, fractional bool) (resource.Quantity, error) {
	if want.Cmp(*r.Min) < 0 {
		return r.Min.DeepCopy(), nil
	}
	if r.Step == nil {
		return want, nil
	}
	milli := inMilli(r, fractional)
	amount, exact := units(want, milli)
	switch {
	case milli && !exact:
		return resource.Quantity{}, fmt.Errorf("%w: request %s is not a representable milli value", errNotRepresentable, want.String())
	case !milli && want.CmpInt64(math.MaxInt64) > 0:
		return resource.Quantity{}, fmt.Errorf("%w: request %s exceeds MaxInt64", errNotRepresentable, want.String())
	}
	step, _ := units(*r.Step, milli)
	base, _ := units(*r.Min, milli)
	if step <= 0 {
		return want, nil // invalid in the API; do not crash
	}
	steps := (amount - base) / step
	if (amount-base)%step != 0 {
		steps++
	}
	if (milli || base >= 0) && steps > (math.MaxInt64-base)/step {
		limit := "MaxInt64"
		if milli {
			limit = "the milli-value range"
		}
		return resource.Quantity{}, fmt.Errorf("%w: rounding request %s up to the next step passes %s", errNotRepresentable, want.String(), limit)
	}
	total := base + step*steps
	if milli && total%1000 != 0 {
		return *resource.NewMilliQuantity(total, r.Step.Format), nil
	}
	if milli {
		total /= 1000
	}
	return *resource.NewQuantity(total, r.Step.Format), nil
}

// forbidden reports whether a policy disallows an amount. The policy's default is always allowed.
func forbidden(q resource.Quantity, policy *resourceapi.CapacityRequestPolicy, fractional bool) bool {
	if policy.Default != nil && q == *policy.Default {
		return false
	}
	if r := policy.ValidRange; r != nil {
		if r.Max != nil && q.Cmp(*r.Max) > 0 {
			return true
		}
		if r.Step == nil {
			return false
		}
		milli := inMilli(r, fractional)
		amount, exact := units(q, milli)
		if milli && !exact {
			return true
		}
		step, _ := units(*r.Step, milli)
		base := int64(0)
		if r.Min != nil {
			base, _ = units(*r.Min, milli)
		}
		return step > 0 && (amount-base)%step != 0
	}
	for _, valid := range policy.ValidValues {
		if q.Cmp(valid) == 0 {
			return false
		}
	}
	return len(policy.ValidValues) > 0
}

// inMilli reports whether range arithmetic is in thousandths: the feature is enabled, all bounds are
// whole thousandths, and the step is at least one thousandth.
func inMilli(r *resourceapi.CapacityRequestPolicyRange, fractional bool) bool {
	if !fractional {
		return false
	}
	for _, q := range []*resource.Quantity{r.Min, r.Max, r.Step} {
		if q == nil {
			continue
		}
		if _, exact := units(*q, true); !exact {
			return false
		}
	}
	return r.Step == nil || r.Step.MilliValue() >= 1
}

// units returns a quantity in whole numbers or thousandths, false if it lost precision.
func units(q resource.Quantity, milli bool) (int64, bool) {
	if !milli {
		v := q.Value()
		return v, q.CmpInt64(v) == 0
	}
	v := q.MilliValue()
	return v, q.Cmp(*resource.NewMilliQuantity(v, q.Format)) == 0
}

// leaves reports whether a device has enough left for taken, given the shares of others.
func leaves(device *inventory.Device, taken amounts, others ...amounts) bool {
	for name, c := range device.Spec.Capacity {
		name = inventory.LocalName(device.ID.Driver, name)
		sum := taken[name].DeepCopy()
		for _, other := range others {
			if q, ok := other[name]; ok {
				sum.Add(q)
			}
		}
		if sum.Cmp(c.Value) > 0 {
			return false
		}
	}
	return true
}
