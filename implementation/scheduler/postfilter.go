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
	"iter"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// PostFilter runs when no node fits. It deallocates one unused claim blocking the pod, or deletes the
// special claim of an earlier attempt.
func (pl *Plugin) PostFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	logger := klog.FromContext(ctx)
	a, err := attemptOf(cycle)
	if err != nil || a.empty() {
		// No claims, or rejected by another plugin before PreFilter.
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	pl.retryIfOutdated(ctx, a, pod)
	for i := range pl.inTurn(a) {
		c := a.claims[i]
		if c == a.special() || !unused(c, pod) {
			continue
		}
		if err := pl.deallocate(ctx, c); err != nil {
			return nil, failed(logger, err, "pod", klog.KObj(pod))
		}
		return nil, fwk.NewStatus(fwk.Unschedulable, "deallocation of ResourceClaim completed")
	}
	if a.extended != nil && a.extended.stale != nil {
		if err := pl.deleteSpecialClaim(ctx, pod, a.extended.stale); err != nil {
			return nil, failed(logger, err, "pod", klog.KObj(pod))
		}
		// Deleting a claim without allocation triggers no wake-up.
		pl.retry(ctx, pod)
		return nil, fwk.NewStatus(fwk.Unschedulable, "deletion of ResourceClaim completed")
	}
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// inTurn returns the candidates for deallocation. Claims with failed devices come first, as no node
// can use them (KEP-5007), while deallocating others costs a ready device. The rest comes in the
// random order of a set: if one claim did not help, the next attempt may pick another. Simulations are
// deterministic.
func (pl *Plugin) inTurn(a *attempt) iter.Seq[int] {
	claims := a.unavailable.UnsortedList()
	if pl.cluster.simulated != nil {
		slices.Sort(claims)
	}
	return func(yield func(int) bool) {
		for _, failed := range []bool{true, false} {
			for _, i := range claims {
				if a.claims[i].failed == failed && !yield(i) {
					return
				}
			}
		}
	}
}

// unused reports whether the claim is reserved for no other pod.
func unused(c *claimAttempt, pod *v1.Pod) bool {
	reserved := c.claim.Status.ReservedFor
	return len(reserved) == 0 || len(reserved) == 1 && reserved[0].UID == pod.UID
}

func (pl *Plugin) deallocate(ctx context.Context, c *claimAttempt) error {
	claim := c.claim.DeepCopy()
	claim.Status.ReservedFor = nil
	claim.Status.Allocation = nil
	claim.Status.Devices = nil
	if s := pl.cluster.simulated; s != nil {
		s.Rewrite(claim)
		return nil
	}
	logger := klog.FromContext(ctx)
	logger.V(2).Info("Deallocating claim", "resourceclaim", klog.KObj(claim))
	updated, err := pl.client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("deallocate claim %s: %w", klog.KObj(claim), err)
	}
	pl.cluster.state.Set(updated)
	// Wakes the pods waiting for such a device, including this one.
	if err := pl.dra.ResourceClaims().AssumeClaimAfterAPICall(updated); err != nil {
		logger.V(5).Info("Claim not assumed", "resourceclaim", klog.KObj(updated), "err", err)
	}
	return nil
}

// retryIfOutdated retries a pod if the attempt saw outdated use of devices. The scheduling queue has
// its own informer handlers: the event that triggered the attempt may not have reached this plugin
// yet, and no other event follows.
func (pl *Plugin) retryIfOutdated(ctx context.Context, a *attempt, pod *v1.Pod) {
	if a.inventory == nil || pl.cluster.simulated != nil {
		return // nothing to allocate, or no events
	}
	if pl.cluster.caughtUp(ctx) && pl.cluster.state.Snapshot() == a.used {
		return
	}
	pl.retry(ctx, pod)
}

// retry requeues the current pod right after the attempt.
func (pl *Plugin) retry(ctx context.Context, pod *v1.Pod) {
	pl.activate(ctx, map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
}
