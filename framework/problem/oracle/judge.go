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
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/dra-conformance/dratest/framework/problem"
)

type claimID struct{ namespace, name string }

// judge collects the verdict on an outcome.
type judge struct {
	w       *world
	outcome *Outcome
	// claims has the claims of the outcome, then unchanged ones of the problem.
	claims []*resourceapi.ResourceClaim
	byName map[claimID]*resourceapi.ResourceClaim
	// before has the allocations at the start of the problem.
	before  map[claimID]*resourceapi.AllocationResult
	demands map[*resourceapi.ResourceClaim]*demand
	// shrunk reports whether an allocation was removed or changed: an initial one, a failed one, or one of an evicted pod.
	shrunk  bool
	verdict Verdict
}

// Judge returns the violations in the outcome of a problem.
func Judge(p *problem.Problem, outcome Outcome) Verdict {
	j := &judge{
		w: newWorld(p), outcome: &outcome, byName: map[claimID]*resourceapi.ResourceClaim{},
		before: map[claimID]*resourceapi.AllocationResult{}, demands: map[*resourceapi.ResourceClaim]*demand{},
	}
	for i := range outcome.Claims {
		j.know(&outcome.Claims[i])
	}
	for i := range p.Allocated {
		c := &p.Allocated[i]
		id := claimID{c.Namespace, c.Name}
		j.before[id] = c.Status.Allocation
		if now := j.byName[id]; now == nil {
			j.know(c)
		} else if c.Status.Allocation != nil && !equality.Semantic.DeepEqual(now.Status.Allocation, c.Status.Allocation) {
			j.shrunk = true
		}
	}
	j.shrunk = j.shrunk || outcome.Failed || j.released() || j.lost()
	j.useSpecial()
	uses := j.uses()
	for _, c := range j.claims {
		if j.fresh(c) {
			j.allocation(c)
		}
	}
	j.verdict.Violations = append(j.verdict.Violations, uses.judge()...)
	for i := range outcome.Pods {
		if pod := &outcome.Pods[i]; pod.Node != "" {
			j.running(pod)
			if i := slices.IndexFunc(j.w.p.Nodes, func(n problem.Node) bool { return n.Name == pod.Node }); i >= 0 {
				j.extended(pod, &j.w.p.Nodes[i])
			}
		} else {
			j.waiting(pod, uses)
		}
	}
	for _, c := range j.claims {
		if j.fresh(c) {
			j.alternatives(c)
		}
	}
	return j.verdict
}

// released reports whether a claim of an evicted pod, missing in the outcome, is not allocated.
func (j *judge) released() bool {
	for _, pod := range j.w.p.Pods {
		if slices.ContainsFunc(j.outcome.Pods, func(p Pod) bool { return p.Name == pod.Name }) {
			continue
		}
		if slices.ContainsFunc(j.claims, func(c *resourceapi.ResourceClaim) bool {
			return c.Status.Allocation == nil && slices.Contains(pod.Claims, c.Name)
		}) {
			return true
		}
	}
	return false
}

func (j *judge) know(c *resourceapi.ResourceClaim) {
	j.claims = append(j.claims, c)
	j.byName[claimID{c.Namespace, c.Name}] = c
	j.demands[c] = j.w.demandOf(c)
}

// fresh reports whether a claim was allocated after the start of the problem.
func (j *judge) fresh(c *resourceapi.ResourceClaim) bool {
	return c.Status.Allocation != nil && !equality.Semantic.DeepEqual(j.before[claimID{c.Namespace, c.Name}], c.Status.Allocation)
}

// uses returns the devices in use by all claims except some.
func (j *judge) uses(except ...*resourceapi.ResourceClaim) *uses {
	u := j.w.newUses()
	// Earlier allocations come first.
	for _, fresh := range []bool{false, true} {
		for _, c := range j.claims {
			if j.fresh(c) == fresh && !slices.Contains(except, c) {
				u.add(c, fresh)
			}
		}
	}
	return u
}

func (j *judge) violated(p promise, object, format string, args ...any) {
	j.verdict.Violations = append(j.verdict.Violations, Violation{Promise: p.id, Cites: p.cites, Object: object, What: fmt.Sprintf(format, args...)})
}

func (j *judge) undecided(object, why string) {
	j.verdict.Undecided = append(j.verdict.Undecided, object+": "+why)
}

// nodesOf returns the nodes of a claim's pods, or all nodes if no pod is bound.
func (j *judge) nodesOf(c *resourceapi.ResourceClaim) []*problem.Node {
	var used, possible []*problem.Node
	for i := range j.w.p.Nodes {
		node := &j.w.p.Nodes[i]
		possible = append(possible, node)
		if slices.ContainsFunc(j.outcome.Pods, func(p Pod) bool {
			return p.Node == node.Name && p.Namespace == c.Namespace && slices.Contains(p.Claims, c.Name)
		}) {
			used = append(used, node)
		}
	}
	if used != nil {
		return used
	}
	return possible
}

func (j *judge) allocation(c *resourceapi.ResourceClaim) {
	found := j.w.judgeAllocation(j.demands[c], c.Status.Allocation, j.nodesOf(c))
	j.verdict.Violations = append(j.verdict.Violations, found...)
	for i := range j.outcome.Namespaces {
		ns := &j.outcome.Namespaces[i]
		if ns.Name == c.Namespace && ns.Labels[resourceapi.DRAAdminNamespaceLabelKey] != "true" &&
			slices.ContainsFunc(c.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return ptr.Deref(r.AdminAccess, false) }) {
			j.violated(adminNamespace, claimName(c), "admin access in namespace %s without the label", ns.Name)
		}
	}
}

// running checks the claims of a bound pod.
func (j *judge) running(pod *Pod) {
	object := "pod " + pod.Namespace + "/" + pod.Name
	if pod.Unprepared != "" {
		j.violated(waitsForConditions, object, "bound to node %s before all binding conditions of claim %s were true", pod.Node, pod.Unprepared)
	}
	for _, name := range pod.Claims {
		c := j.byName[claimID{pod.Namespace, name}]
		if c == nil || c.Status.Allocation == nil {
			j.violated(allocatedFirst, object, "on node %s, but claim %s is not allocated", pod.Node, name)
			continue
		}
		if !slices.ContainsFunc(c.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
			return r.Resource == "pods" && r.Name == pod.Name && r.UID == pod.UID
		}) {
			j.violated(reservedFirst, object, "on node %s, but claim %s is not reserved for it", pod.Node, name)
		}
		for i := range j.w.p.Nodes {
			if node := &j.w.p.Nodes[i]; node.Name == pod.Node && !available(c.Status.Allocation.NodeSelector, node) {
				j.violated(allocationNode, object, "on node %s, where claim %s is not available", pod.Node, name)
			}
		}
	}
}

// waiting checks whether a pending pod could run in the final state.
func (j *judge) waiting(pod *Pod, uses *uses) {
	object := "pod " + pod.Namespace + "/" + pod.Name
	for _, c := range j.specialClaims(pod) {
		if c.DeletionTimestamp != nil {
			return
		}
		j.violated(goneIfPending, object, "waits, but has claim %s for extended resources", c.Name)
	}
	var claims, stuck, failed []*resourceapi.ResourceClaim
	var released promise
	for _, name := range pod.Claims {
		c := j.byName[claimID{pod.Namespace, name}]
		if c == nil || c.DeletionTimestamp != nil {
			return
		}
		if j.demands[c].unknown != "" || c.Status.Allocation == nil && j.demands[c].missing != "" || j.w.evicting(c) {
			return
		}
		if !Prepared(c) {
			if released = j.givesUp(c); released == (promise{}) || !onlyFor(c, pod) {
				return
			}
			failed = append(failed, c)
			continue
		}
		if c.Status.Allocation != nil && len(c.Status.ReservedFor) == 0 && j.missesNode(c) {
			stuck = append(stuck, c)
		}
		claims = append(claims, c)
	}
	if len(claims)+len(failed) == 0 && len(j.podOf(pod).Extended()) == 0 || j.leftOpen(object, slices.Concat(claims, failed)) {
		return
	}
	if why := j.extendedOpen(pod); why != "" {
		j.undecided(object, why)
		return
	}
	runs, why := j.anywhere(pod, claims, nil, uses)
	promised := runsIfPossible
	switch {
	case len(failed) > 0:
		// If the other claims cannot be allocated, the scheduler may not have checked these.
		if runs == yes {
			runs, why = j.anywhere(pod, slices.Concat(claims, failed), failed, j.uses(failed...))
			promised = released
		}
	case runs == no && len(stuck) > 0:
		runs, why = j.anywhere(pod, claims, stuck, j.uses(stuck...))
		promised = releasedIfStuck
	}
	switch runs {
	case yes:
		j.violated(promised, object, "waits, but could run on %s", why)
	case open:
		j.undecided(object, why)
	}
}

// Prepared reports whether all binding conditions of a claim's devices are true. Until then its
// pods have to wait (Device.BindingConditions).
func Prepared(c *resourceapi.ResourceClaim) bool {
	if c.Status.Allocation == nil {
		return true
	}
	for _, r := range c.Status.Allocation.Devices.Results {
		status := StatusOf(c, &r)
		for _, condition := range r.BindingConditions {
			if status == nil || !meta.IsStatusConditionTrue(status.Conditions, condition) {
				return false
			}
		}
	}
	return true
}

// StatusOf returns the status of an allocated device, or nil.
func StatusOf(c *resourceapi.ResourceClaim, r *resourceapi.DeviceRequestAllocationResult) *resourceapi.AllocatedDeviceStatus {
	for i := range c.Status.Devices {
		if d := &c.Status.Devices[i]; d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device && ptr.Deref(d.ShareID, "") == string(ptr.Deref(r.ShareID, "")) {
			return d
		}
	}
	return nil
}

// Failed reports whether a binding failure condition of a claim's devices is true.
func Failed(c *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(c.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		status := StatusOf(c, &r)
		return status != nil && slices.ContainsFunc(r.BindingFailureConditions, func(condition string) bool {
			return meta.IsStatusConditionTrue(status.Conditions, condition)
		})
	})
}

// givesUp returns the promise to release an allocation whose binding conditions are not true, or none while its pods have
// to wait. An initial allocation has timed out.
func (j *judge) givesUp(c *resourceapi.ResourceClaim) promise {
	switch {
	case Failed(c):
		return failedIsReleased
	case !j.fresh(c):
		return timedOutIsReleased
	}
	return promise{}
}

// onlyFor reports whether a claim is reserved for no other pod.
func onlyFor(c *resourceapi.ResourceClaim, pod *Pod) bool {
	return !slices.ContainsFunc(c.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.UID != pod.UID })
}

// evicting reports whether an allocated device has an untolerated NoExecute taint: no further pod
// may use the claim (ExactDeviceRequest.Tolerations).
func (w *world) evicting(c *resourceapi.ResourceClaim) bool {
	return c.Status.Allocation != nil && slices.ContainsFunc(c.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		d := w.devices[idOf(&r)]
		return d != nil && slices.ContainsFunc(d.Taints, func(t resourceapi.DeviceTaint) bool {
			return t.Effect == resourceapi.DeviceTaintEffectNoExecute &&
				!slices.ContainsFunc(r.Tolerations, func(by resourceapi.DeviceToleration) bool { return toleratesTaint(&by, &t) })
		})
	})
}

// leftOpen reports whether the API does not define the outcome for some claims, and counts an
// undecided question.
func (j *judge) leftOpen(object string, claims []*resourceapi.ResourceClaim) bool {
	why := ""
	for _, c := range claims {
		if j.demands[c].odd {
			why = "claim " + c.Name + " has values that the API does not define"
		}
	}
	why = cmp.Or(why, j.w.disabled(claims))
	if why != "" {
		j.undecided(object, why)
	}
	return why != ""
}

// anywhere looks for a node for a pod with its claims. The released ones are allocated again.
func (j *judge) anywhere(pod *Pod, claims, released []*resourceapi.ResourceClaim, uses *uses) (answer, string) {
	result, why := no, ""
	for i := range j.w.p.Nodes {
		node := &j.w.p.Nodes[i]
		s := j.w.newSearch(node, uses)
		served, available := j.byClasses(pod, node)
		if extended := j.w.extendedDemand(j.podOf(pod), served); available {
			for r := range extended.requests {
				s.want(extended, extended.requests[r].choices)
			}
		}
		for _, c := range claims {
			if c.Status.Allocation != nil && !slices.Contains(released, c) {
				available = available && availableFor(c, node)
				continue
			}
			for r := range j.demands[c].requests {
				s.want(j.demands[c], j.demands[c].requests[r].choices)
			}
		}
		if s.doubt != "" || j.w.puzzling(node) {
			// An error on one node may end the attempt for all nodes.
			return open, cmp.Or(s.doubt, "a slice has an invalid node selector")
		}
		if !available {
			continue
		}
		switch s.run() {
		case yes:
			result, why = yes, s.String()
		case open:
			if result == no {
				result, why = open, "the search on node "+node.Name+" took too long"
			}
		}
	}
	return result, why
}

// availableFor reports whether another pod on a node can use an allocated claim.
func availableFor(c *resourceapi.ResourceClaim, node *problem.Node) bool {
	var selector *corev1.NodeSelector
	if c.Status.Allocation != nil {
		selector = c.Status.Allocation.NodeSelector
	}
	return available(selector, node) && len(c.Status.ReservedFor) < resourceapi.ResourceClaimReservedForMaxSize
}

// missesNode reports whether an allocated claim is unavailable on a node. Only such claims are
// released: they were the reason why a node could not fit the pod (KEP-4381, Post-filter). A claim
// may hold a device needed by the pod's other claims.
func (j *judge) missesNode(c *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(j.w.p.Nodes, func(n problem.Node) bool { return !availableFor(c, &n) })
}

// alternatives checks for each request whether an earlier alternative than the chosen one was
// possible. Devices of other claims and of earlier requests stay allocated: a scheduler trying
// requests in order has chosen the earlier ones before. Since then, other claims can only have
// taken more devices, so anything possible in the final state was possible then.
func (j *judge) alternatives(c *resourceapi.ResourceClaim) {
	d := j.demands[c]
	if d.unknown+d.missing != "" {
		return
	}
	for r := range d.requests {
		chosen := d.chosen(r)
		if chosen < 1 {
			continue
		}
		object := claimName(c)
		if j.shrunk {
			j.undecided(object, "an allocation is gone")
			return
		}
		if j.leftOpen(object, []*resourceapi.ResourceClaim{c}) {
			return
		}
		j.earlier(d, r, chosen)
	}
}

// chosen returns the index of a request's allocated alternative, or -1.
func (d *demand) chosen(request int) int {
	return slices.IndexFunc(d.requests[request].choices, func(c choice) bool {
		return slices.ContainsFunc(d.claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return r.Request == c.name })
	})
}

func (j *judge) earlier(d *demand, request, chosen int) {
	object := claimName(d.claim)
	uses := j.uses(d.claim)
	nodes := j.nodesOf(d.claim)
	found := ""
	for _, node := range nodes {
		s := j.w.newSearch(node, uses)
		fixed := s.fix(d, request)
		s.want(d, d.requests[request].choices[:chosen])
		for later := request + 1; later < len(d.requests); later++ {
			s.want(d, d.requests[later].choices)
		}
		if s.doubt != "" || j.w.puzzling(node) {
			j.undecided(object, cmp.Or(s.doubt, "a slice has an invalid node selector"))
			return
		}
		if !fixed {
			return
		}
		switch s.run() {
		case yes:
			found = s.String()
		case no:
			return
		default:
			j.undecided(object, "the search for an earlier alternative took too long")
			return
		}
	}
	if found != "" {
		j.violated(inOrder, object, "request %s has alternative %d, but %s is possible", d.requests[request].name, chosen, found)
	}
}
