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

// WantsAdminAccess reports whether a request asks for admin access. Alternatives cannot.
func WantsAdminAccess(r resourceapi.DeviceRequest) bool {
	return r.Exactly != nil && ptr.Deref(r.Exactly.AdminAccess, false)
}

// NewestSlices removes slices of old pool generations, and reports whether there were any.
func (p *Problem) NewestSlices() bool {
	type pool struct{ driver, name string }
	newest := map[pool]int64{}
	of := func(s *resourceapi.ResourceSlice) pool { return pool{s.Spec.Driver, s.Spec.Pool.Name} }
	for i := range p.Slices {
		s := &p.Slices[i]
		newest[of(s)] = max(newest[of(s)], s.Spec.Pool.Generation)
	}
	all := len(p.Slices)
	p.Slices = slices.DeleteFunc(p.Slices, func(s resourceapi.ResourceSlice) bool { return s.Spec.Pool.Generation < newest[of(&s)] })
	return len(p.Slices) < all
}

// Published is a device and its slice. Both can be modified.
type Published struct {
	*resourceapi.ResourceSlice
	Device *resourceapi.Device
}

// Namesakes returns the devices that share a name within a generation of a pool, grouped by name, in the order of the
// slices.
func (p *Problem) Namesakes() [][]Published {
	type name struct {
		driver, pool string
		generation   int64
		device       string
	}
	devices := map[name][]Published{}
	var order []name
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		for d := range spec.Devices {
			id := name{spec.Driver, spec.Pool.Name, spec.Pool.Generation, spec.Devices[d].Name}
			if len(devices[id]) == 1 {
				order = append(order, id)
			}
			devices[id] = append(devices[id], Published{&p.Slices[i], &spec.Devices[d]})
		}
	}
	var all [][]Published
	for _, id := range order {
		all = append(all, devices[id])
	}
	return all
}

// LocalCapacities removes the driver's own domain from names of capacities, and reports whether there was
// any.
func (p *Problem) LocalCapacities() bool {
	found := false
	for i := range p.Slices {
		spec := &p.Slices[i].Spec
		for d := range spec.Devices {
			found = hasLocal(spec.Driver, spec.Devices[d].Capacity) || found
			spec.Devices[d].Capacity = LocalNames(spec.Driver, spec.Devices[d].Capacity)
		}
	}
	for i := range p.Allocated {
		results := p.Allocated[i].Status.Allocation.Devices.Results
		for r := range results {
			found = hasLocal(results[r].Driver, results[r].ConsumedCapacity) || found
			results[r].ConsumedCapacity = LocalNames(results[r].Driver, results[r].ConsumedCapacity)
		}
	}
	return found
}

// LocalNames returns a map by names without the driver's own domain. If both names occur, the value of the
// one without domain remains.
func LocalNames[V any](driver string, named map[resourceapi.QualifiedName]V) map[resourceapi.QualifiedName]V {
	if named == nil {
		return nil
	}
	local := make(map[resourceapi.QualifiedName]V, len(named))
	for name, v := range named {
		plain, qualified := strings.CutPrefix(string(name), driver+"/")
		if _, both := named[resourceapi.QualifiedName(plain)]; qualified && both {
			continue
		}
		local[resourceapi.QualifiedName(plain)] = v
	}
	return local
}

func hasLocal[V any](driver string, named map[resourceapi.QualifiedName]V) bool {
	for name := range named {
		if strings.HasPrefix(string(name), driver+"/") {
			return true
		}
	}
	return false
}

// PlainVersions removes build metadata from versions, and reports whether there was any.
func (p *Problem) PlainVersions() bool {
	found := false
	for i := range p.Slices {
		for d := range p.Slices[i].Spec.Devices {
			attributes := p.Slices[i].Spec.Devices[d].Attributes
			for name, a := range attributes {
				if version, _, ok := strings.Cut(ptr.Deref(a.VersionValue, ""), "+"); ok {
					a.VersionValue, found = &version, true
					attributes[name] = a
				}
			}
		}
	}
	return found
}

// WithoutPlugins removes the capacity of device plugins for extended resources of pods with claims, and reports whether
// there was any.
func (p *Problem) WithoutPlugins() bool {
	found := false
	for i := range p.Pods {
		if len(p.Pods[i].Claims) == 0 {
			continue
		}
		for name := range p.Pods[i].Extended() {
			for n := range p.Nodes {
				found = found || p.Nodes[n].Extended[name] > 0
				delete(p.Nodes[n].Extended, name)
			}
		}
	}
	return found
}

// WholeDevices turns allocated shares of devices that are not shared into allocations of the device,
// and reports whether there were any.
func (p *Problem) WholeDevices() bool {
	type device struct{ driver, pool, name string }
	shared := map[device]bool{}
	for i := range p.Slices {
		s := &p.Slices[i].Spec
		for d := range s.Devices {
			id := device{s.Driver, s.Pool.Name, s.Devices[d].Name}
			shared[id] = shared[id] || ptr.Deref(s.Devices[d].AllowMultipleAllocations, false)
		}
	}
	found := false
	for i := range p.Allocated {
		results := p.Allocated[i].Status.Allocation.Devices.Results
		for r := range results {
			if result := &results[r]; result.ShareID != nil && !shared[device{result.Driver, result.Pool, result.Device}] {
				result.ShareID, result.ConsumedCapacity, found = nil, nil, true
			}
		}
	}
	return found
}
