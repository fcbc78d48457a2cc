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

package scheduler

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/allocator"
)

// PreFilter finds the claims of a pod and prepares their allocation once for all nodes.
func (pl *Plugin) PreFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	logger := klog.FromContext(ctx)
	a := &attempt{}
	cycle.Write(attemptKey, a)

	resources := pl.extendedResourcesOf(pod)
	if len(pod.Spec.ResourceClaims) == 0 && len(resources) == 0 {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if err := pl.cluster.waitSynced(ctx); err != nil {
		return nil, failed(logger, err)
	}
	claims, err := pl.claimsOf(pod)
	if err != nil {
		return nil, unschedulable(logger, err.Error(), "pod", klog.KObj(pod))
	}
	a.claims = make([]*claimAttempt, 0, len(claims)+1)
	others := leftOut(cycle)
	for _, claim := range claims {
		if others.Has(claim.UID) {
			continue
		}
		c, status := pl.prepareClaim(logger, pod, claim)
		if status != nil {
			a.claims = nil
			return nil, status
		}
		a.claims = append(a.claims, c)
		if claim.Status.Allocation == nil {
			a.pending = append(a.pending, len(a.claims)-1)
		}
	}
	if len(resources) > 0 {
		if status := pl.prepareExtended(logger, pod, resources, a); status != nil {
			return nil, status
		}
	}
	if a.empty() {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	logger.V(5).Info("Claims of the pod", "pod", klog.KObj(pod), "resourceclaims", klog.KObjSlice(claims), "pending", len(a.pending))
	if len(a.pending) > 0 || a.extended != nil {
		if status := pl.prepareDemand(logger, a); status != nil {
			return nil, status
		}
	}
	a.preferences = preferencesOf(a)
	return nil, nil
}

// PreFilterExtensions returns nil: removing a pod does not free the devices of its claims, so
// preemption does not need them.
func (pl *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// prepareClaim checks a claim of the pod's spec.
func (pl *Plugin) prepareClaim(logger klog.Logger, pod *v1.Pod, claim *resourceapi.ResourceClaim) (*claimAttempt, *fwk.Status) {
	c := &claimAttempt{claim: claim}
	if claim.Status.Allocation == nil {
		if pl.inFlight(claim, pod) {
			return nil, unschedulable(logger, fmt.Sprintf("resource claim %s is in the process of being allocated", klog.KObj(claim)), "pod", klog.KObj(pod))
		}
		return c, pl.checkRequests(logger, claim)
	}
	if !resourceclaim.CanBeReserved(claim) && !resourceclaim.IsReservedForPod(pod, claim, false) {
		return nil, unschedulable(logger, "resourceclaim in use", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
	}
	if selector := claim.Status.Allocation.NodeSelector; selector != nil {
		nodes, err := nodeaffinity.NewNodeSelector(selector)
		if err != nil {
			return nil, failed(logger, fmt.Errorf("parse node selector of claim %s: %w", klog.KObj(claim), err))
		}
		c.nodes = nodes
	}
	if pl.features.DeviceBindingAndStatus {
		ready, err := bindingReady(claim)
		c.failed = err != nil || !ready && pl.bindingTimedOut(claim, time.Now())
	}
	if !c.failed && !resourceclaim.IsReservedForPod(pod, claim, false) {
		tainted, err := pl.taintedDevice(claim)
		if err != nil {
			return nil, failed(logger, err)
		}
		c.failed = tainted != nil
	}
	return c, nil
}

// inFlight reports whether another pod is about to allocate the claim. If that fails, this pod is
// woken; if it succeeds, the claim's event wakes it.
func (pl *Plugin) inFlight(claim *resourceapi.ResourceClaim, pod *v1.Pod) bool {
	pending := func() bool {
		return pl.dra.ResourceClaims().GetPendingAllocation(claim.UID) != nil || pl.cluster.state.InFlight(claim.UID) != nil
	}
	if !pending() {
		return false
	}
	pl.cluster.waiting.add(claim.UID, pod)
	if !pending() { // It ended before the pod was registered.
		pl.cluster.waiting.remove(claim.UID, pod)
		return false
	}
	return true
}

// checkRequests rejects unknown kinds of requests and claims with a missing class.
func (pl *Plugin) checkRequests(logger klog.Logger, claim *resourceapi.ResourceClaim) *fwk.Status {
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		switch {
		case request.Exactly != nil:
			if status := pl.checkClass(logger, request.Name, request.Exactly.DeviceClassName); status != nil {
				return status
			}
		case len(request.FirstAvailable) > 0:
			if !pl.features.PrioritizedList {
				return unschedulable(logger, fmt.Sprintf("resource claim %s, request %s: has subrequests, but the DRAPrioritizedList feature is disabled", klog.KObj(claim), request.Name))
			}
			for j := range request.FirstAvailable {
				sub := &request.FirstAvailable[j]
				if status := pl.checkClass(logger, request.Name+"/"+sub.Name, sub.DeviceClassName); status != nil {
					return status
				}
			}
		default:
			return unschedulable(logger, fmt.Sprintf("resource claim %s, request %s: unknown request type", klog.KObj(claim), request.Name))
		}
	}
	return nil
}

func (pl *Plugin) checkClass(logger klog.Logger, request, class string) *fwk.Status {
	if class == "" {
		return failed(logger, fmt.Errorf("request %s: unsupported request type", request))
	}
	if _, err := pl.dra.DeviceClasses().Get(class); err != nil {
		if apierrors.IsNotFound(err) {
			return unschedulable(logger, fmt.Sprintf("request %s: device class %s does not exist", request, class))
		}
		return failed(logger, fmt.Errorf("request %s: look up device class %s: %w", request, class, err))
	}
	return nil
}

// prepareDemand converts the pending claims into a demand and takes a snapshot of devices and their
// use.
func (pl *Plugin) prepareDemand(logger klog.Logger, a *attempt) *fwk.Status {
	if len(a.pending) > 0 {
		demand, err := pl.newDemand(a.pendingClaims(nil))
		if err != nil {
			// Only a change of claim or class helps; both wake the pod.
			return unschedulable(logger, err.Error())
		}
		a.demand = demand
	}
	slices, err := pl.dra.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return failed(logger, fmt.Errorf("list resource slices: %w", err))
	}
	a.inventory = pl.cluster.devices(slices)
	a.used = pl.cluster.state.Snapshot()
	return nil
}

// pendingClaims returns the claims to allocate in the order of the demand: the spec's, then the
// special one unless it is nil.
func (a *attempt) pendingClaims(special *resourceapi.ResourceClaim) []*resourceapi.ResourceClaim {
	claims := make([]*resourceapi.ResourceClaim, 0, len(a.pending)+1)
	for _, i := range a.pending {
		claims = append(claims, a.claims[i].claim)
	}
	if special != nil {
		claims = append(claims, special)
	}
	return claims
}

func (pl *Plugin) allocatorConfig() allocator.Config {
	return allocator.Config{
		Features: pl.features.Features,
		Class:    pl.dra.DeviceClasses().Get,
		Compile:  pl.cluster.compile,
		MaxSteps: pl.args.MaxSearchSteps,
	}
}
