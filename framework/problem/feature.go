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

package problem

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// Feature is a feature used by problems.
type Feature struct {
	Name string
	// Used reports whether a problem uses it, judged by its content and not by the generator's
	// intention.
	Used func(*Problem) bool
}

// AllFeatures lists the features counted in reports, in order.
func AllFeatures() []Feature {
	return slices.Concat(requestFeatures(), constraintFeatures(), deviceFeatures(), clusterFeatures())
}

func requestFeatures() []Feature {
	return []Feature{
		{"exact count", anyRequest(func(r Request) bool { return r.AllocationMode == resourceapi.DeviceAllocationModeExactCount })},
		{"all devices", anyRequest(func(r Request) bool { return r.AllocationMode == resourceapi.DeviceAllocationModeAll })},
		{"first available", anyRequest(func(r Request) bool { return r.Alternative })},
		{"admin access", anyRequest(func(r Request) bool { return ptr.Deref(r.AdminAccess, false) })},
		{"request selectors", anyRequest(func(r Request) bool { return len(r.Selectors) > 0 })},
		{"class selectors", anyClass(func(c *resourceapi.DeviceClass) bool { return len(c.Spec.Selectors) > 0 })},
		{"tolerations", anyRequest(func(r Request) bool { return len(r.Tolerations) > 0 })},
		{"capacity asked for", anyRequest(func(r Request) bool { return r.Capacity != nil })},
		{"class configuration", anyClass(func(c *resourceapi.DeviceClass) bool { return len(c.Spec.Config) > 0 })},
		{"claim configuration", anyClaim(func(c *resourceapi.ResourceClaim) bool { return len(c.Spec.Devices.Config) > 0 })},
		{"configuration of a subrequest", anyClaim(func(c *resourceapi.ResourceClaim) bool {
			return slices.ContainsFunc(c.Spec.Devices.Config, func(c resourceapi.DeviceClaimConfiguration) bool { return namesAlternative(c.Requests) })
		})},
		{"several requests", anyClaim(func(c *resourceapi.ResourceClaim) bool { return len(c.Spec.Devices.Requests) > 1 })},
		{"several claims", func(p *Problem) bool { return len(p.Claims) > 1 }},
		{"unknown kind of request", func(p *Problem) bool {
			unknown := anyRequest(func(r Request) bool {
				return r.DeviceClassName == "" || r.AllocationMode != resourceapi.DeviceAllocationModeExactCount && r.AllocationMode != resourceapi.DeviceAllocationModeAll
			})
			return unknown(p)
		}},
	}
}

func constraintFeatures() []Feature {
	features := []Feature{
		{"matchAttribute", anyConstraint(func(_ *Problem, c resourceapi.DeviceConstraint) bool { return c.MatchAttribute != nil })},
		{"distinctAttribute", anyConstraint(func(_ *Problem, c resourceapi.DeviceConstraint) bool { return c.DistinctAttribute != nil })},
		{"constraint on some requests", anyConstraint(func(_ *Problem, c resourceapi.DeviceConstraint) bool { return len(c.Requests) > 0 })},
		{"constraint on a subrequest", anyConstraint(func(_ *Problem, c resourceapi.DeviceConstraint) bool { return namesAlternative(c.Requests) })},
	}
	for _, kind := range []struct {
		name string
		is   func(resourceapi.DeviceAttribute) bool
	}{
		{"string", func(a resourceapi.DeviceAttribute) bool { return a.StringValue != nil }},
		{"int", func(a resourceapi.DeviceAttribute) bool { return a.IntValue != nil }},
		{"bool", func(a resourceapi.DeviceAttribute) bool { return a.BoolValue != nil }},
		{"version", func(a resourceapi.DeviceAttribute) bool { return a.VersionValue != nil }},
		{"list", func(a resourceapi.DeviceAttribute) bool { return a.IntValues != nil }},
	} {
		features = append(features, Feature{"constrained " + kind.name, anyConstraint(func(p *Problem, c resourceapi.DeviceConstraint) bool {
			name := string(ptr.Deref(c.MatchAttribute, ptr.Deref(c.DistinctAttribute, "")))
			_, id, _ := strings.Cut(name, "/")
			return anyDevice(func(_ *resourceapi.ResourceSlice, d *resourceapi.Device) bool {
				qualified, found := d.Attributes[resourceapi.QualifiedName(name)]
				relative := d.Attributes[resourceapi.QualifiedName(id)]
				return found && kind.is(qualified) || !found && kind.is(relative)
			})(p)
		})})
	}
	return features
}

func deviceFeatures() []Feature {
	type device = resourceapi.Device
	on := func(used func(*device) bool) func(*Problem) bool {
		return anyDevice(func(_ *resourceapi.ResourceSlice, d *device) bool { return used(d) })
	}
	policy := func(used func(*resourceapi.CapacityRequestPolicy) bool) func(*Problem) bool {
		return on(func(d *device) bool {
			for _, c := range d.Capacity {
				if c.RequestPolicy != nil && used(c.RequestPolicy) {
					return true
				}
			}
			return false
		})
	}
	return []Feature{
		{"taints", on(func(d *device) bool { return len(d.Taints) > 0 })},
		{"shared counters", on(func(d *device) bool { return len(d.ConsumesCounters) > 0 })},
		{"two counter sets", on(func(d *device) bool { return len(d.ConsumesCounters) > 1 })},
		{"several allocations", on(func(d *device) bool { return ptr.Deref(d.AllowMultipleAllocations, false) })},
		{"capacity default only", policy(func(p *resourceapi.CapacityRequestPolicy) bool { return p.ValidRange == nil && p.ValidValues == nil })},
		{"capacity range", policy(func(p *resourceapi.CapacityRequestPolicy) bool {
			return p.ValidRange != nil && p.ValidRange.Step == nil
		})},
		{"capacity step", policy(func(p *resourceapi.CapacityRequestPolicy) bool {
			return p.ValidRange != nil && p.ValidRange.Step != nil
		})},
		{"capacity step with fraction", policy(func(p *resourceapi.CapacityRequestPolicy) bool {
			return p.ValidRange != nil && p.ValidRange.Step != nil && p.ValidRange.Step.MilliValue()%1000 != 0
		})},
		{"capacity values", policy(func(p *resourceapi.CapacityRequestPolicy) bool { return p.ValidValues != nil })},
		{"shares with counters", on(func(d *device) bool {
			return ptr.Deref(d.AllowMultipleAllocations, false) && len(d.ConsumesCounters) > 0
		})},
		{"binding conditions", on(func(d *device) bool { return len(d.BindingConditions) > 0 })},
		{"bindsToNode", on(func(d *device) bool { return ptr.Deref(d.BindsToNode, false) })},
		{"node selection per device", anyDevice(func(s *resourceapi.ResourceSlice, _ *device) bool {
			return ptr.Deref(s.Spec.PerDeviceNodeSelection, false)
		})},
		{"partitions for several nodes", anyDevice(func(s *resourceapi.ResourceSlice, d *device) bool {
			perDevice := ptr.Deref(s.Spec.PerDeviceNodeSelection, false)
			return len(d.ConsumesCounters) > 0 && (perDevice && d.NodeName == nil || !perDevice && s.Spec.NodeName == nil)
		})},
	}
}

func namesAlternative(requests []string) bool {
	return slices.ContainsFunc(requests, func(name string) bool { return strings.Contains(name, "/") })
}
