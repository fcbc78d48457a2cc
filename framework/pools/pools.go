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

package pools

import (
	"cmp"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/objects"
)

// Pool is the newest generation of a pool.
type Pool struct {
	Name       string
	Generation int64
	Slices     []resourceapi.ResourceSlice
}

// Of groups the slices of one driver into pools, in order of their names.
func Of(driver string, published []resourceapi.ResourceSlice) []Pool {
	byName := map[string]*Pool{}
	for _, s := range published {
		if s.Spec.Driver != driver {
			continue
		}
		p := byName[s.Spec.Pool.Name]
		if p == nil || s.Spec.Pool.Generation > p.Generation {
			p = &Pool{Name: s.Spec.Pool.Name, Generation: s.Spec.Pool.Generation}
			byName[p.Name] = p
		}
		if s.Spec.Pool.Generation == p.Generation {
			p.Slices = append(p.Slices, s)
		}
	}
	sorted := make([]Pool, 0, len(byName))
	for _, p := range byName {
		sorted = append(sorted, *p)
	}
	slices.SortFunc(sorted, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	return sorted
}

// Problem returns why the scheduler cannot use a pool; empty if it can.
func (p Pool) Problem() string {
	for _, s := range p.Slices {
		if int64(len(p.Slices)) != s.Spec.Pool.ResourceSliceCount {
			return fmt.Sprintf("pool %s has %d slices of generation %d, and says that it has %d", p.Name, len(p.Slices), p.Generation, s.Spec.Pool.ResourceSliceCount)
		}
	}
	return ""
}

// Device is a published device.
type Device struct {
	resourceapi.Device

	Pool string
	// Node is its node; empty if not restricted by node name.
	Node string
	// Kept is why no claim could get it now; empty if one could.
	Kept string
}

// Held is the prefix of Kept for devices of a claim.
const Held = "is held by "

// ID names a device of one driver.
type ID struct{ Pool, Device string }

// Devices returns the devices of a driver's pools in order of pools and names, evaluated with these claims and the
// scheduler's rules. Binding conditions, counters and sharing do not make a device unavailable. Taint rules
// (DeviceTaintRule) are ignored.
func Devices(driver string, published []resourceapi.ResourceSlice, claims []resourceapi.ResourceClaim) []Device {
	held := holders(driver, claims)
	var all []Device
	for _, pool := range Of(driver, published) {
		for _, d := range pool.Devices() {
			holder, taken := held[ID{d.Pool, d.Name}]
			taint := slices.IndexFunc(d.Taints, objects.Repels)
			switch {
			case taken:
				d.Kept = Held + holder
			case taint >= 0:
				d.Kept = "has taint " + d.Taints[taint].Key
			case pool.Problem() != "":
				d.Kept = "cannot be used: " + pool.Problem()
			}
			all = append(all, d)
		}
	}
	return all
}

// Devices returns a pool's devices, in order of their names.
func (p Pool) Devices() []Device {
	var all []Device
	for _, s := range p.Slices {
		for _, d := range s.Spec.Devices {
			node := s.Spec.NodeName
			if ptr.Deref(s.Spec.PerDeviceNodeSelection, false) {
				node = d.NodeName
			}
			all = append(all, Device{Device: d, Pool: p.Name, Node: ptr.Deref(node, "")})
		}
	}
	slices.SortFunc(all, func(a, b Device) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// holders returns the claims with devices of a driver, except those with admin access.
func holders(driver string, claims []resourceapi.ResourceClaim) map[ID]string {
	all := map[ID]string{}
	for _, c := range claims {
		if c.Status.Allocation == nil {
			continue
		}
		who := fmt.Sprintf("claim %s/%s", c.Namespace, c.Name)
		for _, r := range c.Status.ReservedFor {
			who += ", in use by " + r.Resource + "/" + r.Name
		}
		for _, r := range c.Status.Allocation.Devices.Results {
			if r.Driver == driver && !ptr.Deref(r.AdminAccess, false) {
				all[ID{r.Pool, r.Device}] = who
			}
		}
	}
	return all
}
