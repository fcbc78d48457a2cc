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

package fabricplan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// DetachView is the input of PlanDetach.
type DetachView struct {
	Config
	Inventory Inventory
	Claims    []*resourceapi.ResourceClaim
	// Live is set if Claims were read from the API server.
	Live bool
	// Slices are all slices of the driver.
	Slices []*resourceapi.ResourceSlice
	// Rules are those of fabrics with this name, also for other drivers.
	Rules []*resourceapi.DeviceTaintRule
	// Idle is the start of devices' idle times, from the last PlanDetach.
	Idle map[string]time.Time
	Now  time.Time
}

// PlanDetach plans which devices to detach because they were idle for long enough, and returns the
// start of idle times. A device is in use if a claim has it, by name or by the slot it was attached
// for.
//
// A published device could be allocated meanwhile. It gets a taint first, and once schedulers have
// seen that, claims are read again: either the device is in one, or it can no longer be allocated.
func PlanDetach(view DetachView) ([]Action, map[string]time.Time) {
	p := detachPlan{DetachView: view, keys: sets.New[string](), names: sets.New[string](), pools: map[string]string{}, before: map[place]bool{},
		idle: map[string]time.Time{}, rules: map[string]*resourceapi.DeviceTaintRule{}}
	p.devices = slices.SortedFunc(slices.Values(view.Inventory.Devices), func(a, b Device) int { return cmp.Compare(a.ID, b.ID) })
	p.look()
	for _, d := range p.devices {
		p.device(d)
	}
	p.forget()
	if p.unsure {
		return []Action{VerifyClaims{}}, p.idle
	}
	return p.actions, p.idle
}

type detachPlan struct {
	DetachView
	// devices is the inventory by ID.
	devices []Device
	// keys and names are those in claims.
	keys, names sets.Set[string]
	// pools are the pools publishing devices as local, by device.
	pools map[string]string
	// before are pools of nodes other than the device's current one.
	before map[place]bool
	// rules are the fabric's by device.
	rules   map[string]*resourceapi.DeviceTaintRule
	idle    map[string]time.Time
	actions []Action
	unsure  bool
}

// place is where a driver publishes a device.
type place struct{ pool, device string }

// look indexes the view.
func (p *detachPlan) look() {
	for _, claim := range p.Claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			if result.Driver != p.Driver {
				continue
			}
			if _, slot := p.model(result.Driver, result.Pool); slot {
				p.keys.Insert(KeyOf(claim, result))
			} else {
				p.names.Insert(result.Device)
			}
		}
	}
	p.lookForPools()
	for _, rule := range sortedByName(p.Rules) {
		if s := rule.Spec.DeviceSelector; s != nil && s.Device != nil && s.Driver != nil && *s.Driver == p.Driver {
			p.rules[*s.Device] = rule
		}
	}
}

// lookForPools finds where devices are published as local. A device attached elsewhere before may
// still be published there, too: the pool of its current node counts.
func (p *detachPlan) lookForPools() {
	nodes := map[string]string{}
	for _, d := range p.devices {
		nodes[d.ID] = d.Node
	}
	for _, slice := range sortedByName(p.Slices) {
		if slice.Spec.Driver != p.Driver || slice.Labels[FabricLabel] != "" {
			continue
		}
		for _, device := range slice.Spec.Devices {
			here := nodes[device.Name] == ptr.Deref(slice.Spec.NodeName, "")
			if p.pools[device.Name] == "" || here {
				p.pools[device.Name] = slice.Spec.Pool.Name
			}
			if !here {
				p.before[place{slice.Spec.Pool.Name, device.Name}] = true
			}
		}
	}
}

// device plans for a device of this cluster.
func (p *detachPlan) device(d Device) {
	rule := p.rules[d.ID]
	if p.keys.Has(d.Key) || p.names.Has(d.ID) {
		// A device detached and attached again may still be published from before.
		if d.Phase == DeviceAttached && !p.stale(rule, d) {
			p.uncordon(rule, "the device is used again")
		}
		return
	}
	if d.Phase != DeviceAttached && d.Phase != DeviceDead {
		return // attaching or detaching
	}
	since, known := p.Idle[d.ID]
	if !known {
		since = p.Now
	}
	p.idle[d.ID] = since
	if p.Now.Sub(since) < p.DetachAfter {
		// It was attached again, or the controller has restarted and does not know its idle time:
		// until it is to be detached, pods may use it.
		if d.Phase == DeviceAttached && !p.stale(rule, d) {
			p.uncordon(rule, "the device is not to be detached yet")
		}
		return
	}
	pool, published := p.pools[d.ID]
	switch {
	case published && pool != poolOf(rule) && p.stale(rule, d):
		p.actions = append(p.actions, PlanAgain{}) // there is one rule for each device
	case published && rule != nil && ptr.Deref(rule.Spec.DeviceSelector.Pool, pool) != pool:
		p.uncordon(rule, "the device is in another pool now")
		p.actions = append(p.actions, PlanAgain{})
	case published && rule == nil:
		p.actions = append(p.actions, Cordon{p.rule(d, pool)}, PlanAgain{})
	case published && p.Now.Sub(rule.CreationTimestamp.Time) < p.CordonFor:
		p.actions = append(p.actions, PlanAgain{})
	case !p.Live:
		p.unsure = true
	default:
		p.actions = append(p.actions, Detach{Device: d.ID, Node: d.Node, Key: d.Key})
	}
}

// stale reports whether a rule keeps pods off a device at its old node, where an outdated driver
// still publishes it.
func (p *detachPlan) stale(rule *resourceapi.DeviceTaintRule, d Device) bool {
	return p.before[place{poolOf(rule), d.ID}]
}

// poolOf is the pool of a rule, empty for all of them.
func poolOf(rule *resourceapi.DeviceTaintRule) string {
	if rule == nil {
		return ""
	}
	return ptr.Deref(rule.Spec.DeviceSelector.Pool, "")
}

// rule is a taint rule to keep pods off a device.
func (p *detachPlan) rule(d Device, pool string) *resourceapi.DeviceTaintRule {
	return &resourceapi.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{
			Name:   fmt.Sprintf("detach-%s-%s-%s", d.ID, p.Fabric, p.Driver),
			Labels: map[string]string{FabricLabel: p.Fabric},
		},
		Spec: resourceapi.DeviceTaintRuleSpec{
			DeviceSelector: &resourceapi.DeviceTaintSelector{Driver: new(p.Driver), Pool: new(pool), Device: new(d.ID)},
			Taint:          resourceapi.DeviceTaint{Key: DetachingTaint, Effect: resourceapi.DeviceTaintEffectNoSchedule},
		},
	}
}

// forget removes the rules of detached and unpublished devices.
func (p *detachPlan) forget() {
	for _, id := range slices.Sorted(maps.Keys(p.rules)) {
		_, published := p.pools[id]
		if !published && !slices.ContainsFunc(p.devices, func(d Device) bool { return d.ID == id }) {
			p.uncordon(p.rules[id], "the device was detached")
		}
	}
}

func (p *detachPlan) uncordon(rule *resourceapi.DeviceTaintRule, why string) {
	if rule != nil {
		p.actions = append(p.actions, Uncordon{Name: rule.Name, UID: rule.UID, Why: why})
	}
}

// sortedByName makes the order of objects independent of caches.
func sortedByName[O metav1.Object](objects []O) []O {
	return slices.SortedFunc(slices.Values(objects), func(a, b O) int { return cmp.Compare(a.GetName(), b.GetName()) })
}
