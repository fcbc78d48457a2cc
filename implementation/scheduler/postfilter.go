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

// PostFilter runs when no node fits. It takes back the allocation of one claim that
// nobody uses and that keeps the pod from a node, or deletes the special claim that
// an earlier attempt left behind.
func (pl *Plugin) PostFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	logger := klog.FromContext(ctx)
	a, err := attemptOf(cycle)
	if err != nil || a.empty() {
		// Without claims, or rejected by another plugin before PreFilter ran.
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
		// The deletion of a claim without an allocation wakes nobody.
		pl.retry(ctx, pod)
		return nil, fwk.NewStatus(fwk.Unschedulable, "deletion of ResourceClaim completed")
	}
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

// inTurn returns the claims of which one may be taken back, first those that no node can
// have any more because their devices failed (KEP-5007): to take another one back would cost
// a device that is ready. Of the others any is as good as another one; the order of a set is
// random, so that another one's turn comes if this one did not help. A simulation has the
// same answer each time.
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

// unused says that nobody but the pod has reserved the claim.
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
	// Wakes the pods that wait for such a device, this one among them.
	if err := pl.dra.ResourceClaims().AssumeClaimAfterAPICall(updated); err != nil {
		logger.V(5).Info("Claim not assumed", "resourceclaim", klog.KObj(updated), "err", err)
	}
	return nil
}

// retryIfOutdated makes sure that a pod is tried again if the use of devices that
// the attempt went by was outdated. The scheduling queue has informer handlers of
// its own: the event that made it try the pod may have been on its way to us still,
// and no other event follows.
func (pl *Plugin) retryIfOutdated(ctx context.Context, a *attempt, pod *v1.Pod) {
	if a.inventory == nil || pl.cluster.simulated != nil {
		return // nothing was to be allocated, or there are no events
	}
	if pl.cluster.caughtUp(ctx) && pl.cluster.state.Snapshot() == a.used {
		return
	}
	pl.retry(ctx, pod)
}

// retry brings a pod back that is being scheduled, as soon as the attempt is over.
func (pl *Plugin) retry(ctx context.Context, pod *v1.Pod) {
	pl.activate(ctx, map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
}
