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
	"cmp"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// demand is a claim's set of requests and constraints.
type demand struct {
	claim       *resourceapi.ResourceClaim
	requests    []request
	constraints []resourceapi.DeviceConstraint
	// unknown names a part of the claim unknown to the scheduler, which must therefore reject it.
	unknown string
	// missing names a class that does not exist, "" for none.
	missing string
	// odd is set for values undefined by the API: rejected by the API server, or capacities finer
	// than 1m.
	odd bool
}

// request has the alternatives of a request, or one choice if it is exact.
type request struct {
	name    string
	choices []choice
}

// choice is an exact request, or an alternative.
type choice struct {
	// name is used in results, main is the name of the request.
	name, main string
	className  string
	class      *resourceapi.DeviceClass
	selectors  []resourceapi.DeviceSelector
	all, admin bool
	count      int
	tolerates  []resourceapi.DeviceToleration
	capacity   map[resourceapi.QualifiedName]resource.Quantity
}

// named reports whether the names in a constraint or configuration include the choice.
func (c *choice) named(names []string) bool {
	return len(names) == 0 || slices.Contains(names, c.name) || slices.Contains(names, c.main)
}

func (w *world) demandOf(claim *resourceapi.ResourceClaim) *demand {
	d := &demand{claim: claim, constraints: claim.Spec.Devices.Constraints}
	for _, c := range d.constraints {
		if c.MatchAttribute == nil && c.DistinctAttribute == nil {
			d.unknown = "a constraint"
		}
	}
	for _, r := range claim.Spec.Devices.Requests {
		added := request{name: r.Name}
		switch {
		case r.Exactly != nil:
			added.choices = []choice{w.choiceOf(d, r.Name, r.Name, r.Exactly)}
		case len(r.FirstAvailable) == 0:
			d.unknown = "request " + r.Name
		}
		for _, s := range r.FirstAvailable {
			added.choices = append(added.choices, w.choiceOf(d, r.Name+"/"+s.Name, r.Name, &resourceapi.ExactDeviceRequest{
				DeviceClassName: s.DeviceClassName, Selectors: s.Selectors, AllocationMode: s.AllocationMode, Count: s.Count,
				Tolerations: s.Tolerations, Capacity: s.Capacity, DerivedAttributes: s.DerivedAttributes,
			}))
		}
		d.requests = append(d.requests, added)
	}
	return d
}

func (w *world) choiceOf(d *demand, name, main string, r *resourceapi.ExactDeviceRequest) choice {
	c := choice{
		name: name, main: main, className: r.DeviceClassName, class: w.classes[r.DeviceClassName], selectors: r.Selectors,
		all: r.AllocationMode == resourceapi.DeviceAllocationModeAll, admin: ptr.Deref(r.AdminAccess, false),
		count: int(r.Count), tolerates: r.Tolerations,
	}
	if c.class == nil {
		d.missing = cmp.Or(d.missing, r.DeviceClassName)
	}
	switch r.AllocationMode {
	case resourceapi.DeviceAllocationModeAll:
	case resourceapi.DeviceAllocationModeExactCount, "":
		d.odd = d.odd || r.AllocationMode == "" || r.Count < 1
	default:
		d.unknown = cmp.Or(d.unknown, "the mode of "+name)
	}
	if slices.ContainsFunc(r.Selectors, func(s resourceapi.DeviceSelector) bool { return s.CEL == nil }) {
		d.unknown = cmp.Or(d.unknown, "a selector of "+name)
	}
	if r.Capacity != nil && !w.off["ConsumableCapacity"] {
		c.capacity = r.Capacity.Requests
		for asked, amount := range c.capacity {
			_, id, qualified := strings.Cut(string(asked), "/")
			_, twice := c.capacity[resourceapi.QualifiedName(id)]
			fine := units(amount, resource.Micro).Cmp(units(*resource.NewMilliQuantity(amount.MilliValue(), amount.Format), resource.Micro)) != 0
			d.odd = d.odd || qualified && twice || amount.Sign() < 0 || fine
		}
	}
	d.odd = d.odd || r.DeviceClassName == "" || len(r.DerivedAttributes) > 0
	return c
}

// tolerates reports whether a choice tolerates the taints of a device.
func (w *world) tolerates(c *choice, d *device) bool {
	if w.off["DeviceTaints"] {
		return true
	}
	for i := range d.Taints {
		t := &d.Taints[i]
		if t.Effect != resourceapi.DeviceTaintEffectNoSchedule && t.Effect != resourceapi.DeviceTaintEffectNoExecute {
			continue
		}
		if !slices.ContainsFunc(c.tolerates, func(by resourceapi.DeviceToleration) bool { return toleratesTaint(&by, t) }) {
			return false
		}
	}
	return true
}

func toleratesTaint(by *resourceapi.DeviceToleration, t *resourceapi.DeviceTaint) bool {
	if by.Effect != "" && by.Effect != t.Effect || by.Key != "" && by.Key != t.Key {
		return false
	}
	if by.Operator == resourceapi.DeviceTolerationOpExists {
		return true
	}
	return by.Key != "" && by.Value == t.Value
}
