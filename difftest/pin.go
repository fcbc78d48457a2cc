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

package difftest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
	"github.com/dra-conformance/dratest/implementation/inventory"
)

// pinDomain is the domain of the attribute used by pinned requests to select devices, because CEL
// expressions have no access to device names. No generated expression uses it.
const pinDomain = "pin.difftest.example.com"

type pick struct {
	choice
	device inventory.DeviceID // none for a request for all devices, which has no choice
}

// choice is a request, or one of its alternatives.
type choice struct{ claim, request, alternative int }

// in returns the chosen request, and its name in constraints and results.
func (c choice) in(p *problem.Problem) (string, *resourceapi.ExactDeviceRequest) {
	request := &p.Claims[c.claim].Spec.Devices.Requests[c.request]
	if request.Exactly != nil {
		return request.Name, request.Exactly
	}
	sub := &request.FirstAvailable[c.alternative]
	return request.Name + "/" + sub.Name, &resourceapi.ExactDeviceRequest{
		DeviceClassName: sub.DeviceClassName, Selectors: sub.Selectors, AllocationMode: sub.AllocationMode,
		Count: sub.Count, Tolerations: sub.Tolerations, Capacity: sub.Capacity,
	}
}

func forAll(r *resourceapi.ExactDeviceRequest) bool {
	return r.AllocationMode == resourceapi.DeviceAllocationModeAll
}

// pinner turns a problem into ones without a choice for upstream's search.
type pinner struct {
	p   *problem.Problem // one node, each device with its ID as attribute
	ids map[inventory.DeviceID]int64
}

func newPinner(p *problem.Problem, node int) *pinner {
	c := p.Copy()
	c.Nodes, c.History = c.Nodes[node:node+1], nil
	ids := map[inventory.DeviceID]int64{}
	for i := range c.Slices {
		spec := &c.Slices[i].Spec
		for d := range spec.Devices {
			id := inventory.DeviceID{Driver: spec.Driver, Pool: spec.Pool.Name, Device: spec.Devices[d].Name}
			if _, ok := ids[id]; !ok {
				ids[id] = int64(len(ids))
			}
			attributes := maps.Clone(spec.Devices[d].Attributes)
			if attributes == nil {
				attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
			}
			attributes[pinDomain+"/id"] = resourceapi.DeviceAttribute{IntValue: ptr.To(ids[id])}
			spec.Devices[d].Attributes = attributes
		}
	}
	return &pinner{p: c, ids: ids}
}

// devices are all published devices, in slice order.
func (t *pinner) devices() []inventory.DeviceID {
	all := make([]inventory.DeviceID, len(t.ids))
	for id, n := range t.ids {
		all[n] = id
	}
	return all
}

// selector only matches these devices.
func (t *pinner) selector(devices []inventory.DeviceID) resourceapi.DeviceSelector {
	var ids []string
	for _, device := range devices {
		ids = append(ids, fmt.Sprint(t.ids[device]))
	}
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{
		Expression: fmt.Sprintf("device.attributes[%q].?id.orValue(-1) in [%s]", pinDomain, strings.Join(ids, ", ")),
	}}
}

// whole is the problem with each request pinned to its picked alternative and devices.
func (t *pinner) whole(picks []pick) *problem.Problem {
	c := t.p.Copy()
	ofChoice, ofClass := map[choice][]inventory.DeviceID{}, map[string][]inventory.DeviceID{}
	open := map[string]bool{} // classes of requests for all devices
	for _, pick := range picks {
		_, request := pick.in(t.p)
		if forAll(request) {
			open[request.DeviceClassName] = true
			ofChoice[pick.choice] = nil
			continue
		}
		ofChoice[pick.choice] = append(ofChoice[pick.choice], pick.device)
		ofClass[request.DeviceClassName] = append(ofClass[request.DeviceClassName], pick.device)
	}
	for chosen, devices := range ofChoice {
		request := &c.Claims[chosen.claim].Spec.Devices.Requests[chosen.request]
		selectors := func() *[]resourceapi.DeviceSelector { return &request.Exactly.Selectors }
		if request.Exactly == nil {
			request.FirstAvailable = request.FirstAvailable[chosen.alternative : chosen.alternative+1]
			selectors = func() *[]resourceapi.DeviceSelector { return &request.FirstAvailable[0].Selectors }
		}
		if devices != nil {
			*selectors() = slices.Insert(*selectors(), 0, t.selector(devices))
		}
	}
	for i := range c.Classes {
		class := &c.Classes[i]
		if devices := ofClass[class.Name]; devices != nil && !open[class.Name] {
			class.Spec.Selectors = slices.Insert(class.Spec.Selectors, 0, t.selector(devices))
		}
	}
	return c
}

// parts is the problem reduced to the picks, each as its own request. It is solved at once, because
// there is nothing to choose.
func (t *pinner) parts(picks []pick) *problem.Problem {
	c := &problem.Problem{Off: t.p.Off, Nodes: t.p.Nodes, Slices: t.slices(picks), Allocated: t.p.Allocated}
	for i := range t.p.Claims {
		claim := resourceapi.ResourceClaim{ObjectMeta: t.p.Claims[i].ObjectMeta}
		names := map[string][]string{} // of the new requests, by what constraints call the old ones
		for n, pick := range picks {
			if pick.claim != i {
				continue
			}
			name, wanted := pick.in(t.p)
			request := *wanted
			part := fmt.Sprintf("part-%d", n)
			whole, _, _ := strings.Cut(name, "/")
			names[name] = append(names[name], part)
			if whole != name {
				names[whole] = append(names[whole], part)
			}
			class := t.class(request.DeviceClassName)
			if class != nil && !forAll(&request) {
				class = class.DeepCopy()
				class.Name = part
				class.Spec.Selectors = slices.Insert(class.Spec.Selectors, 0, t.selector([]inventory.DeviceID{pick.device}))
				request.DeviceClassName, request.Count = part, 1
			}
			if class != nil {
				c.Classes = append(c.Classes, *class)
			}
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{Name: part, Exactly: &request})
		}
		if len(claim.Spec.Devices.Requests) == 0 {
			continue
		}
		for _, constraint := range t.p.Claims[i].Spec.Devices.Constraints {
			var parts []string
			for _, name := range constraint.Requests {
				parts = append(parts, names[name]...)
			}
			if len(constraint.Requests) > 0 && len(parts) == 0 {
				continue
			}
			constraint.Requests = parts
			claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, constraint)
		}
		c.Claims = append(c.Claims, claim)
	}
	return c
}

// slices are the problem's slices, without irrelevant devices for several picks: those neither
// picked nor in use. A single pick keeps all, to check that the pool is usable.
func (t *pinner) slices(picks []pick) []resourceapi.ResourceSlice {
	matters := sets.New[inventory.DeviceID]()
	for _, pick := range picks {
		if _, request := pick.in(t.p); len(picks) < 2 || forAll(request) {
			return t.p.Slices
		}
		matters.Insert(pick.device)
	}
	for i := range t.p.Allocated {
		if allocation := t.p.Allocated[i].Status.Allocation; allocation != nil {
			for _, result := range allocation.Devices.Results {
				matters.Insert(inventory.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device})
			}
		}
	}
	all := slices.Clone(t.p.Slices)
	for i := range all {
		spec := &all[i].Spec
		spec.Devices = slices.DeleteFunc(slices.Clone(spec.Devices), func(d resourceapi.Device) bool {
			return !matters.Has(inventory.DeviceID{Driver: spec.Driver, Pool: spec.Pool.Name, Device: d.Name})
		})
	}
	return all
}

func (t *pinner) class(name string) *resourceapi.DeviceClass {
	for i := range t.p.Classes {
		if t.p.Classes[i].Name == name {
			return &t.p.Classes[i]
		}
	}
	return nil
}
