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
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

// allocated checks an allocation, assuming it was made for a node.
type allocated struct {
	w          *world
	demand     *demand
	allocation *resourceapi.AllocationResult
	node       *problem.Node
	// chosen has the choices with results, by request name.
	chosen map[string]*choice
	// devices and choices belong to the results, by index; nil if unknown.
	devices []*device
	choices []*choice
	found   []Violation
}

// judgeAllocation returns the violations of an allocation for the node with the fewest violations:
// the scheduler's choice is unknown.
func (w *world) judgeAllocation(d *demand, a *resourceapi.AllocationResult, nodes []*problem.Node) []Violation {
	var fewest []Violation
	for i, node := range nodes {
		j := &allocated{w: w, demand: d, allocation: a, node: node, chosen: map[string]*choice{}}
		j.judge()
		if len(j.found) == 0 {
			return nil
		}
		if i == 0 || len(j.found) < len(fewest) {
			fewest = j.found
		}
	}
	return fewest
}

func (j *allocated) violated(p promise, format string, args ...any) {
	j.found = append(j.found, Violation{Promise: p.id, Cites: p.cites, Object: claimName(j.demand.claim), What: fmt.Sprintf(format, args...)})
}

func claimName(c *resourceapi.ResourceClaim) string { return "claim " + c.Namespace + "/" + c.Name }

func (j *allocated) judge() {
	if j.demand.unknown != "" {
		j.violated(unknownRefused, "allocated although %s is of an unknown kind", j.demand.unknown)
		return
	}
	if j.demand.missing != "" {
		j.violated(classExists, "allocated although class %s does not exist", j.demand.missing)
		return
	}
	results := j.allocation.Devices.Results
	if len(results) > resourceapi.AllocationResultsMaxSize {
		j.violated(atMost32, "%d devices", len(results))
	}
	for i := range results {
		c := j.choiceNamed(results[i].Request)
		j.devices, j.choices = append(j.devices, j.w.devices[idOf(&results[i])]), append(j.choices, c)
		if c == nil {
			j.violated(resultNamesRequest, "a device for request %q", results[i].Request)
			continue
		}
		if other := j.chosen[c.main]; other != nil && other != c {
			j.violated(inOrder, "devices for two alternatives of request %s", c.main)
		}
		j.chosen[c.main] = c
		j.result(c, &results[i], j.devices[i])
	}
	for i := range j.demand.requests {
		c := j.chosen[j.demand.requests[i].name]
		if c == nil && j.demand.odd {
			continue
		}
		if c == nil {
			j.violated(allRequests, "no device for request %s", j.demand.requests[i].name)
			continue
		}
		j.number(c)
	}
	j.constraints()
	j.config()
	j.nodeSelector()
}

func (j *allocated) choiceNamed(name string) *choice {
	for i := range j.demand.requests {
		for k := range j.demand.requests[i].choices {
			if c := &j.demand.requests[i].choices[k]; c.name == name {
				return c
			}
		}
	}
	return nil
}

// result checks a device of an allocation.
func (j *allocated) result(c *choice, r *resourceapi.DeviceRequestAllocationResult, d *device) {
	id := idOf(r)
	if d == nil {
		j.unpublished(id)
		return
	}
	if d.pool.usable == no {
		j.violated(d.pool.broken, "device %s of a pool that must not be used", id)
	}
	if d.twice {
		return
	}
	if j.w.reaches(d, j.node) == no {
		why := reachable
		if ptr.Deref(d.from.PerDeviceNodeSelection, false) {
			why = ownNodes
		}
		j.violated(why, "device %s is not available on node %s", id, j.node.Name)
	}
	if j.w.matches(c.class.Spec.Selectors, d) != yes {
		j.violated(classSelectors, "device %s does not match class %s", id, c.className)
	}
	if j.w.matches(c.selectors, d) != yes {
		j.violated(requestSelectors, "device %s does not match request %s", id, c.name)
	}
	if !j.w.tolerates(c, d) {
		j.violated(tolerated, "request %s does not tolerate the taints of device %s", c.name, id)
	}
	if !j.w.off["DeviceTaints"] && !equality.Semantic.DeepEqual(r.Tolerations, c.tolerates) {
		j.violated(tolerationsCopied, "device %s does not have the tolerations of request %s", id, c.name)
	}
	if !j.w.off["AdminAccess"] && ptr.Deref(r.AdminAccess, false) != c.admin {
		j.violated(adminInResult, "device %s has admin access %t, request %s %t", id, !c.admin, c.name, c.admin)
	}
	if !j.w.off["DeviceBindingAndStatus"] &&
		(!slices.Equal(r.BindingConditions, d.BindingConditions) || !slices.Equal(r.BindingFailureConditions, d.BindingFailureConditions)) {
		j.violated(conditionsCopied, "device %s does not have the binding conditions of its slice", id)
	}
	if !j.w.off["ConsumableCapacity"] {
		j.share(c, r, d)
	}
}

// unpublished reports a device missing in the slices of the highest generation.
func (j *allocated) unpublished(id deviceID) {
	for i := range j.w.p.Slices {
		spec := &j.w.p.Slices[i].Spec
		if spec.Driver != id.driver || spec.Pool.Name != id.pool {
			continue
		}
		if slices.ContainsFunc(spec.Devices, func(d resourceapi.Device) bool { return d.Name == id.name }) {
			j.violated(newestGeneration, "device %s of an old generation", id)
			return
		}
	}
	j.violated(published, "device %s is not published", id)
}

// share checks the consumed capacity and share ID of a device.
func (j *allocated) share(c *choice, r *resourceapi.DeviceRequestAllocationResult, d *device) {
	shares, ok := j.w.shares(c, d)
	if !ok {
		j.violated(enoughCapacity, "device %s does not have the capacity of request %s", d.id, c.name)
		return
	}
	if c.admin && r.ShareID == nil && r.ConsumedCapacity == nil {
		// Admin access is not a share.
		return
	}
	if !d.shared {
		if r.ShareID != nil {
			j.violated(shareID, "device %s is not shared, but has a share ID", d.id)
		}
		if r.ConsumedCapacity != nil {
			j.violated(consumedIfShared, "device %s is not shared, but has consumed capacity", d.id)
		}
		return
	}
	if r.ShareID == nil {
		j.violated(shareID, "shared device %s without a share ID", d.id)
	}
	consumed := localAmounts(d.id.driver, r.ConsumedCapacity)
	for name, s := range shares {
		got, ok := consumed[name]
		switch {
		case !ok:
			j.violated(consumption, "no consumed capacity %s of device %s", name, d.id)
		case got.Cmp(s.amount) != 0 && (s.exact == nil || got.Cmp(*s.exact) != 0):
			j.violated(consumption, "%s of capacity %s consumed of device %s instead of %s", got.String(), name, d.id, s.amount.String())
		}
		delete(consumed, name)
	}
	for name := range consumed {
		j.violated(consumption, "capacity %s consumed of device %s, which does not have it", name, d.id)
	}
}

// number checks the number of devices of a choice.
func (j *allocated) number(c *choice) {
	seen, count := map[*device]bool{}, 0
	for i, d := range j.devices {
		if j.choices[i] != c {
			continue
		}
		count++
		if d != nil && seen[d] {
			j.violated(exactCount, "device %s twice for request %s", d.id, c.name)
		}
		seen[d] = true
	}
	if !c.all {
		if count != c.count && !j.demand.odd {
			j.violated(exactCount, "%d devices for request %s instead of %d", count, c.name, c.count)
		}
		return
	}
	if j.w.trouble(j.node) == yes {
		j.violated(allWaits, "all devices for request %s while a pool on node %s is incomplete or invalid", c.name, j.node.Name)
	}
	if j.w.disabled([]*resourceapi.ResourceClaim{j.demand.claim}) != "" {
		return
	}
	for _, d := range j.w.all {
		// The API leaves open whether AllocationMode All includes a device with enough capacity,
		// but with a policy rejecting the request.
		if _, fits := j.w.shares(c, d); fits && !d.peculiar() && !seen[d] && j.w.reaches(d, j.node) == yes && d.pool.usable == yes && j.w.wanted(c, d) == yes {
			j.violated(everyDevice, "device %s is missing in request %s for all", d.id, c.name)
		}
	}
}

// wanted reports whether a device matches a choice, regardless of its use.
func (w *world) wanted(c *choice, d *device) answer {
	if c.class == nil {
		return no
	}
	if result := w.matches(c.class.Spec.Selectors, d); result != yes {
		return result
	}
	if result := w.matches(c.selectors, d); result != yes {
		return result
	}
	for name, amount := range localAmounts(d.id.driver, c.capacity) {
		if has, ok := d.capacity[name]; !ok || has.Value.Cmp(amount) < 0 {
			return no
		}
	}
	return yes
}

func (j *allocated) constraints() {
	for i := range j.demand.constraints {
		constraint := &j.demand.constraints[i]
		if constraint.MatchAttribute == nil && j.w.off["ConsumableCapacity"] {
			continue
		}
		var devices []*device
		for i, c := range j.choices {
			if c != nil && j.devices[i] != nil && c.named(constraint.Requests) {
				devices = append(devices, j.devices[i])
			}
		}
		if agrees(constraint, devices) != no {
			continue
		}
		if constraint.MatchAttribute != nil {
			j.violated(matchAttribute, "devices do not have the same %s", *constraint.MatchAttribute)
		} else {
			j.violated(distinctAttribute, "devices do not have different %s", *constraint.DistinctAttribute)
		}
	}
}
