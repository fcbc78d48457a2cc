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
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/allocator"
	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
	"github.com/dra-conformance/dratest/implementation/state"
)

// Reserve takes the devices found by Filter, in memory only. It checks again whether they are free:
// claims and classes may have changed since PreFilter, even for a pod without work for PreFilter.
func (pl *Plugin) Reserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {
	logger := klog.FromContext(ctx)
	a, err := attemptOf(cycle)
	if err != nil {
		return failed(logger, err)
	}
	late, err := pl.cameLate(a, pod, nodeName)
	if err != nil {
		return failed(logger, err)
	}
	if late != nil {
		pl.retry(ctx, pod)
		return unschedulable(logger, fmt.Sprintf("device class %s began to serve %s while the pod was being scheduled", late.class.Name, late.name), "pod", klog.KObj(pod), "node", nodeName)
	}
	if len(a.pending) == 0 && a.extended == nil {
		return nil
	}
	fit, ok := a.fitOn(nodeName)
	if !ok {
		if len(a.pending) == 0 {
			return nil // A device plugin serves all of the extended resources.
		}
		return failed(logger, errors.New("claim allocation not found for node"))
	}
	reserved, err := pl.assume(ctx, a, fit)
	if err != nil {
		if errors.Is(err, errTaken) {
			// The pod is still being scheduled, so it is retried immediately.
			pl.retry(ctx, pod)
			return unschedulable(logger, err.Error(), "pod", klog.KObj(pod), "node", nodeName)
		}
		return failed(logger, err)
	}
	for _, c := range reserved {
		if err := pl.dra.ResourceClaims().SignalClaimPendingAllocation(c.reserved.UID, c.reserved); err != nil {
			return failed(logger, fmt.Errorf("signal allocation of claim %s: %w", c.reserved.Name, err))
		}
		c.signaled = true
		logger.V(5).Info("Reserved devices for claim", "pod", klog.KObj(pod), "node", nodeName, "resourceclaim", klog.KObj(c.reserved), "allocation", klog.Format(c.reserved.Status.Allocation))
	}
	return nil
}

// errTaken means the devices of a node are no longer free.
var errTaken = errors.New("devices were taken in the meantime")

// assume takes the devices on a node. If Filter used a cached answer, or the use of a pool has
// changed, it asks the allocator for this node.
func (pl *Plugin) assume(ctx context.Context, a *attempt, fit nodeFit) ([]*claimAttempt, error) {
	used := a.used
	for {
		if fit.result == nil {
			result, err := allocator.Allocate(ctx, allocator.Problem{Demand: a.demandFor(fit.variant).Demand, Node: fit.node, Used: used})
			if err != nil {
				return nil, fmt.Errorf("allocate on the chosen node: %w", err)
			}
			if !result.Fits() {
				return nil, fmt.Errorf("%w: %s", errTaken, result.Reason())
			}
			fit.result = &result
		}
		reserved, claims, err := a.render(fit)
		if err != nil {
			return nil, err
		}
		err = pl.cluster.state.Assume(used, claims...)
		switch {
		case err == nil:
			for i, c := range reserved {
				c.reserved = claims[i]
			}
			return reserved, nil
		case !errors.Is(err, state.ErrChanged):
			return nil, fmt.Errorf("%w: %w", errTaken, err)
		}
		used, fit.result = pl.cluster.state.Snapshot(), nil
	}
}

// render returns the claims to allocate and copies with their allocations. Only the chosen node needs
// this.
func (a *attempt) render(fit nodeFit) (reserved []*claimAttempt, claims []*resourceapi.ResourceClaim, err error) {
	for _, i := range a.pending {
		reserved = append(reserved, a.claims[i])
	}
	if fit.variant != nil {
		reserved = append(reserved, a.special())
	}
	allocations := fit.result.Allocations(newShareID)
	if len(allocations) != len(reserved) {
		return nil, nil, fmt.Errorf("internal error: %d allocations for %d claims", len(allocations), len(reserved))
	}
	for i, c := range reserved {
		claim := c.claim
		if c == a.special() {
			claim = fit.variant.claim
		}
		claim = claim.DeepCopy()
		addFinalizer(claim)
		claim.Status.Allocation = &allocations[i]
		claims = append(claims, claim)
	}
	return reserved, claims, nil
}

func newShareID() types.UID { return uuid.NewUUID() }

// addFinalizer returns true if the finalizer was missing.
func addFinalizer(claim *resourceapi.ResourceClaim) bool {
	if slices.Contains(claim.Finalizers, resourceapi.Finalizer) {
		return false
	}
	claim.Finalizers = append(claim.Finalizers, resourceapi.Finalizer)
	return true
}

// Unreserve reverts Reserve and PreBind: devices in memory, the pod's reservation in the API, the
// special claim. It may run after a failure of either, and more than once.
func (pl *Plugin) Unreserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ string) {
	a, err := attemptOf(cycle)
	if err != nil || a.empty() {
		return
	}
	for _, c := range a.named() {
		pl.release(ctx, pod, c)
		pl.removeReservation(ctx, pod, c)
	}
	if c := a.special(); c != nil {
		pl.release(ctx, pod, c)
		if c.claim.Name == specialClaimName || pl.cluster.simulated != nil {
			return
		}
		if err := pl.deleteSpecialClaim(ctx, pod, c.claim); err != nil {
			// The next attempt finds it, and PostFilter retries the deletion.
			klog.FromContext(ctx).Error(err, "Delete claim for extended resources", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(c.claim))
		}
	}
}

// release ends the pending allocation of a claim. Devices already recorded in the API stay in use.
func (pl *Plugin) release(ctx context.Context, pod *v1.Pod, c *claimAttempt) {
	if c.reserved == nil {
		return
	}
	reserved := c.reserved
	c.reserved = nil
	if !c.written {
		pl.cluster.state.Forget(reserved.UID)
		pl.cluster.released.add(pod.UID, time.Now())
	}
	if c.signaled {
		c.signaled = false
		removed := pl.dra.ResourceClaims().MaybeRemoveClaimPendingAllocation(reserved.UID, false)
		// The API server's response is newer than the informer's claim.
		if removed && !c.written && reserved.Name != specialClaimName {
			pl.dra.ResourceClaims().AssumedClaimRestore(reserved.Namespace, reserved.Name)
		}
	}
	pl.wake(ctx, reserved.UID)
}

// wake retries the pods waiting for the claim's pending allocation to end.
func (pl *Plugin) wake(ctx context.Context, claim types.UID) {
	if pods := pl.cluster.waiting.take(claim); len(pods) > 0 {
		pl.activate(ctx, pods)
	}
}

// removeReservation removes the pod from the claim's consumers. Otherwise two pods needing the same
// two claims could block each other forever.
func (pl *Plugin) removeReservation(ctx context.Context, pod *v1.Pod, c *claimAttempt) {
	claim := c.claim
	if pl.cluster.simulated != nil || claim.Status.Allocation == nil || !resourceclaim.IsReservedForPod(pod, claim, false) {
		return
	}
	logger := klog.FromContext(ctx)
	logger.V(5).Info("Removing reservation", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
	_, err := extension.Unreserve(ctx, pl.client.ResourceV1().ResourceClaims(claim.Namespace), claim.Name, claim.UID, pod.UID)
	if err != nil {
		// The claim stays reserved for the pod. Either the retried pod uses it, or the claim controller
		// removes the reservation after the pod's deletion.
		logger.Error(err, "Remove reservation", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
	}
}
