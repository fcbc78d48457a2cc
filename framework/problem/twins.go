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
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// twinDomain is the domain of attributes that no generated expression uses.
const twinDomain = "twin.example.com"

// Twins returns the suffix of the pools and slices of a request with admin access.
type Twins func(claim int, request string) string

// Give gives each request with admin access devices of its own, a copy of each pool whose devices consume no counters,
// and reports whether there were any such requests. So they take nothing from others, and need no counters.
func (of Twins) Give(p *Problem) bool {
	admin := func(c resourceapi.ResourceClaim) bool {
		return slices.ContainsFunc(c.Spec.Devices.Requests, WantsAdminAccess)
	}
	if !slices.ContainsFunc(p.Claims, admin) {
		return false
	}
	withoutTwins(p)
	originals, rules, ids := p.Copy().Slices, p.Copy().Rules, map[twin]int64{}
	for i := range p.Slices {
		markTwins(&p.Slices[i].Spec, p.Slices[i].Spec.Pool.Name, "", ids)
	}
	for i := range p.Claims {
		for _, request := range p.Claims[i].Spec.Devices.Requests {
			if !WantsAdminAccess(request) {
				continue
			}
			for k := range originals {
				slice := originals[k].DeepCopy()
				slice.Name += of(i, request.Name)
				slice.Spec.Pool.Name += of(i, request.Name)
				markTwins(&slice.Spec, originals[k].Spec.Pool.Name, of(i, request.Name), ids)
				withoutCounters(&slice.Spec, originals[k].Spec, originals)
				p.Slices = append(p.Slices, *slice)
			}
			for k := range rules {
				if by := rules[k].Spec.DeviceSelector; by != nil && by.Pool != nil {
					rule := rules[k].DeepCopy()
					rule.Name += of(i, request.Name)
					*rule.Spec.DeviceSelector.Pool += of(i, request.Name)
					p.Rules = append(p.Rules, *rule)
				}
			}
		}
		devices := &p.Claims[i].Spec.Devices
		of.restrict(i, devices)
		if !slices.Contains(p.Off, "ConsumableCapacity") {
			separate(devices)
		}
	}
	return true
}

// withoutCounters removes the counters consumed by a twin's devices. Those of unknown counters keep them, as their pool is
// invalid.
func withoutCounters(twin *resourceapi.ResourceSliceSpec, of resourceapi.ResourceSliceSpec, all []resourceapi.ResourceSlice) {
	counters := map[string]map[string]resourceapi.Counter{}
	for _, slice := range all {
		if slice.Spec.Driver == of.Driver && slice.Spec.Pool.Name == of.Pool.Name && slice.Spec.Pool.Generation == of.Pool.Generation {
			for _, set := range slice.Spec.SharedCounters {
				counters[set.Name] = set.Counters
			}
		}
	}
	unknown := func(consumed resourceapi.DeviceCounterConsumption) bool {
		for name := range consumed.Counters {
			if _, ok := counters[consumed.CounterSet][name]; !ok {
				return true
			}
		}
		return false
	}
	for d := range twin.Devices {
		if !slices.ContainsFunc(twin.Devices[d].ConsumesCounters, unknown) {
			twin.Devices[d].ConsumesCounters = nil
		}
	}
}

// twin identifies a device and its twins, unless the device is shared.
type twin struct{ driver, pool, name string }

// markTwins adds the attributes for selectors and constraints.
func markTwins(spec *resourceapi.ResourceSliceSpec, pool, suffix string, ids map[twin]int64) {
	for d := range spec.Devices {
		device := &spec.Devices[d]
		id := twin{spec.Driver, pool, device.Name}
		if ptr.Deref(device.AllowMultipleAllocations, false) {
			id.pool += suffix
		}
		if _, ok := ids[id]; !ok {
			ids[id] = int64(len(ids))
		}
		device.Attributes = maps.Clone(device.Attributes)
		if device.Attributes == nil {
			device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		device.Attributes[twinDomain+"/twin"] = resourceapi.DeviceAttribute{StringValue: &suffix}
		device.Attributes[twinDomain+"/id"] = resourceapi.DeviceAttribute{IntValue: ptr.To(ids[id])}
	}
}

// restrict restricts requests with admin access to their twins, and others to the originals.
func (of Twins) restrict(claim int, devices *resourceapi.DeviceClaim) {
	for r := range devices.Requests {
		request := &devices.Requests[r]
		suffix := ""
		if WantsAdminAccess(*request) {
			suffix = of(claim, request.Name)
		}
		only := onlyTwin(suffix)
		if request.Exactly != nil {
			request.Exactly.Selectors = slices.Insert(request.Exactly.Selectors, 0, only)
		}
		for s := range request.FirstAvailable {
			request.FirstAvailable[s].Selectors = slices.Insert(request.FirstAvailable[s].Selectors, 0, only)
		}
	}
}

func onlyTwin(suffix string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.attributes[%q].twin == %q", twinDomain, suffix)}}
}

// withoutTwins serves extended resources by copies of their classes, restricted to the originals.
func withoutTwins(p *Problem) {
	const suffix = "-extended"
	if !slices.ContainsFunc(p.Pods, func(pod Pod) bool { return len(pod.Containers) > 0 }) {
		return
	}
	for i := range p.Classes {
		class := p.Classes[i].DeepCopy()
		class.Name += suffix
		class.Spec.Selectors = append(class.Spec.Selectors, onlyTwin(""))
		p.Classes[i].Spec.ExtendedResourceName = nil
		p.Classes = append(p.Classes, *class)
	}
	for i := range p.Pods {
		for c := range p.Pods[i].Containers {
			container := &p.Pods[i].Containers[c]
			extended := map[string]int64{}
			for name, count := range container.Extended {
				if strings.HasPrefix(name, resourceapi.ResourceDeviceClassPrefix) {
					name += suffix
				}
				extended[name] = count
			}
			container.Extended = extended
		}
	}
}

// separate keeps a claim from using a device and its twin.
func separate(devices *resourceapi.DeviceClaim) {
	for i, request := range devices.Requests {
		for k, other := range devices.Requests {
			if WantsAdminAccess(request) && (k > i || !WantsAdminAccess(other)) {
				devices.Constraints = append(devices.Constraints, resourceapi.DeviceConstraint{
					Requests: []string{request.Name, other.Name}, DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName(twinDomain + "/id")),
				})
			}
		}
	}
}
