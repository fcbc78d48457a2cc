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

package oracle

import (
	"math/big"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// share is the consumption of a capacity. Where a fractional request or minimum is rounded up to
// whole units, the API leaves open whether the exact or the rounded amount is consumed; exact is
// the former.
type share struct {
	amount resource.Quantity
	exact  *resource.Quantity
}

// shares returns the consumption of a shared device by a choice, by local capacity name, or false
// if the device has less than requested (CapacityRequirements.Requests). Other devices have no
// consumption.
func (w *world) shares(c *choice, d *device) (map[string]share, bool) {
	asked := localAmounts(d.id.driver, c.capacity)
	for name := range asked {
		if _, ok := d.capacity[name]; !ok {
			return nil, false
		}
	}
	all := make(map[string]share, len(d.capacity))
	for name, has := range d.capacity {
		request, ok := asked[name]
		if ok && request.Cmp(has.Value) > 0 {
			return nil, false
		}
		if !d.shared {
			continue
		}
		s, fits := w.consumes(has, request, ok)
		if !fits || s.amount.Cmp(has.Value) > 0 {
			return nil, false
		}
		all[name] = s
	}
	return all, true
}

// peculiar reports whether a device has a policy without being shared, which is invalid
// (DeviceCapacity.RequestPolicy).
func (d *device) peculiar() bool {
	return !d.shared && hasPolicy(d, func(*resourceapi.CapacityRequestPolicy) bool { return true })
}

// consumes applies a policy (CapacityRequestPolicy) to an optional request.
func (w *world) consumes(has resourceapi.DeviceCapacity, request resource.Quantity, requested bool) (share, bool) {
	policy := has.RequestPolicy
	switch {
	case policy == nil && !requested, !requested && policy.Default == nil:
		return share{amount: has.Value}, true
	case !requested:
		return share{amount: *policy.Default}, true
	case policy == nil:
		return share{amount: request}, true
	case policy.ValidValues != nil:
		for _, value := range policy.ValidValues {
			if value.Cmp(request) >= 0 {
				return share{amount: value}, true
			}
		}
		return share{}, false
	case policy.ValidRange != nil:
		return w.inRange(policy.ValidRange, request)
	}
	return share{amount: request}, true
}

// inRange rounds a request up to whole units, or to thousandths if a bound is fractional
// (CapacityRequestPolicyRange).
func (w *world) inRange(r *resourceapi.CapacityRequestPolicyRange, request resource.Quantity) (share, bool) {
	scale := resource.Scale(0)
	if fractional(r) && !w.off["FractionalCapacityRange"] {
		scale = resource.Milli
	}
	value := units(request, scale)
	rounded := new(big.Int).Set(value)
	least := new(big.Int)
	if r.Min != nil {
		least = units(*r.Min, scale)
	}
	if rounded.Cmp(least) < 0 {
		rounded.Set(least)
	}
	if r.Step != nil {
		step := units(*r.Step, scale)
		over := new(big.Int).Sub(rounded, least)
		if step.Sign() > 0 {
			if rest := new(big.Int).Mod(over, step); rest.Sign() > 0 {
				rounded.Add(rounded, step).Sub(rounded, rest)
			}
		}
	}
	if r.Max != nil && rounded.Cmp(units(*r.Max, scale)) > 0 || !rounded.IsInt64() {
		return share{}, false
	}
	s := share{amount: *resource.NewScaledQuantity(rounded.Int64(), scale)}
	switch {
	case r.Min != nil && request.Cmp(*r.Min) < 0:
		s.exact = r.Min
	case rounded.Cmp(value) == 0:
		s.exact = &request
	}
	return s, true
}

func fractional(r *resourceapi.CapacityRequestPolicyRange) bool {
	return slices.ContainsFunc([]*resource.Quantity{r.Min, r.Max, r.Step}, func(bound *resource.Quantity) bool {
		return bound != nil && bound.MilliValue()%1000 != 0
	})
}

// units rounds a quantity up to whole units of a scale, without overflow.
func units(q resource.Quantity, scale resource.Scale) *big.Int {
	copied := q.DeepCopy()
	dec := copied.AsDec()
	value := new(big.Int).Set(dec.UnscaledBig())
	// The quantity is value * 10^-decimals units.
	decimals := int64(dec.Scale()) + int64(scale)
	if decimals <= 0 {
		return value.Mul(value, power(-decimals))
	}
	rest := new(big.Int)
	value.QuoRem(value, power(decimals), rest)
	if rest.Sign() > 0 {
		value.Add(value, big.NewInt(1))
	}
	return value
}

func power(n int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil) }
