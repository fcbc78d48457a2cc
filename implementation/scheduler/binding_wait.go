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
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/klog/v2"
)

// bindingPoll is the interval for checks without an event.
const bindingPoll = 5 * time.Second

// waitForBinding waits until all devices of the pod are ready. After an error the next attempt sees
// the same failure or timeout, and PostFilter deallocates the claim.
func (pl *Plugin) waitForBinding(ctx context.Context, a *attempt, pod *v1.Pod, nodeName string) error {
	logger := klog.FromContext(ctx)
	pl.handle.EventRecorder().WithLogger(logger).Eventf(pod, nil, v1.EventTypeNormal, "BindingConditionsPending", "Scheduling", "waiting for binding conditions for device on node %s", nodeName)

	start := time.Now()
	err := pl.watchBinding(ctx, a)
	outcome := OutcomeSuccess
	switch {
	case err == nil:
	case errors.Is(err, ErrBindingTimeout):
		outcome = OutcomeTimeout
	case errors.Is(err, ErrBindingFailed):
		outcome = OutcomeFailure
	default:
		outcome = OutcomeError
	}
	logger.V(4).Info("Waited for binding conditions", "pod", klog.KObj(pod), "node", nodeName, "outcome", outcome, "devices", describeBinding(a), "err", err)
	pl.countBinding(a, outcome, time.Since(start))
	return err
}

// countBinding records the wait for each device and counts devices with binding conditions.
func (pl *Plugin) countBinding(a *attempt, outcome Outcome, duration time.Duration) {
	profile := pl.handle.ProfileName()
	for _, c := range a.claims {
		if c.claim.Status.Allocation == nil {
			continue
		}
		for i := range c.claim.Status.Allocation.Devices.Results {
			result := &c.claim.Status.Allocation.Devices.Results[i]
			pl.metrics.BindingConditionsWait(profile, result.Driver, outcome, duration)
			if len(result.BindingConditions) > 0 {
				pl.metrics.BindingConditionsAllocation(profile, result.Driver, outcome)
			}
		}
	}
}

func (pl *Plugin) watchBinding(ctx context.Context, a *attempt) error {
	var uids []types.UID
	limit := pl.args.BindingTimeout.Duration
	for _, c := range a.claims {
		uids = append(uids, c.claim.UID)
		limit = max(limit, pl.bindingTimeout(c.claim))
	}
	changed, stop := pl.cluster.watches.watch(uids)
	defer stop()
	// Claims allocated without a timestamp have no deadline.
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: %w", ErrBindingTimeout, context.DeadlineExceeded))
	defer cancel()
	for {
		ready, next, err := pl.checkBinding(a, time.Now())
		if ready || err != nil {
			return err
		}
		timer := time.NewTimer(next)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		timer.Stop()
	}
}

// checkBinding checks all claims of the pod and returns the time of the next check.
func (pl *Plugin) checkBinding(a *attempt, now time.Time) (ready bool, next time.Duration, err error) {
	next, ready = bindingPoll, true
	for _, c := range a.claims {
		if c.claim.Status.Allocation == nil {
			continue // a device plugin serves the extended resources
		}
		claim, err := pl.latest(c.claim)
		if err != nil {
			return false, 0, err
		}
		c.claim = claim
		claimReady, err := bindingReady(c.claim)
		switch {
		case err != nil:
			return false, 0, err
		case claimReady:
			continue
		case pl.bindingTimedOut(c.claim, now):
			return false, 0, fmt.Errorf("%w: claim=%s", ErrBindingTimeout, c.claim.Name)
		}
		ready = false
		if deadline, ok := pl.bindingDeadline(c.claim); ok {
			// Add a moment: the timeout applies only after the deadline.
			next = min(next, deadline.Sub(now)+time.Millisecond)
		}
	}
	return ready, next, nil
}

// latest returns the newer of the given claim and the informer's. claimWatches follows the informer;
// the DRA manager may lag behind.
func (pl *Plugin) latest(claim *resourceapi.ResourceClaim) (*resourceapi.ResourceClaim, error) {
	known, err := pl.cluster.lister.ResourceClaims(claim.Namespace).Get(claim.Name)
	if err != nil {
		return nil, fmt.Errorf("get claim %s: %w", klog.KObj(claim), err)
	}
	if known.UID != claim.UID {
		return nil, overtaken(claim, "deleted")
	}
	if order, err := resourceversion.CompareResourceVersion(known.ResourceVersion, claim.ResourceVersion); err == nil && order < 0 {
		return claim, nil
	}
	if known.Status.Allocation == nil {
		return nil, overtaken(claim, "deallocated elsewhere")
	}
	return known, nil
}
