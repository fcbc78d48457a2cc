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

	v1 "k8s.io/api/core/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// PreBindPreFlight reports whether PreBind has something to do for the pod.
func (pl *Plugin) PreBindPreFlight(ctx context.Context, cycle fwk.CycleState, _ *v1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	result := &fwk.PreBindPreFlightResult{AllowParallel: true}
	a, err := attemptOf(cycle)
	if err != nil {
		return result, failed(klog.FromContext(ctx), err)
	}
	if a.empty() || pl.cluster.simulated != nil {
		return result, fwk.NewStatus(fwk.Skip)
	}
	return result, nil
}

// PreBind writes Reserve's decisions and waits for binding conditions. After a failure the framework
// calls Unreserve.
func (pl *Plugin) PreBind(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {
	logger := klog.FromContext(ctx)
	a, err := attemptOf(cycle)
	if err != nil {
		return failed(logger, err)
	}
	if a.empty() || pl.cluster.simulated != nil {
		return nil
	}
	for _, c := range a.claims {
		if c == a.special() && c.reserved == nil {
			continue // A device plugin serves all of the extended resources.
		}
		if resourceclaim.IsReservedForPod(pod, c.claim, false) {
			continue
		}
		if err := pl.bindClaim(ctx, a, c, pod, nodeName); err != nil {
			return failed(logger, err, "pod", klog.KObj(pod), "node", nodeName)
		}
	}
	if pl.features.DeviceBindingAndStatus && needsBinding(a) {
		if err := pl.waitForBinding(ctx, a, pod, nodeName); err != nil {
			return failed(logger, err, "pod", klog.KObj(pod), "node", nodeName)
		}
	}
	for _, c := range a.claims {
		if c.signaled {
			pl.dra.ResourceClaims().MaybeRemoveClaimPendingAllocation(c.reserved.UID, true)
			c.signaled = false
			pl.wake(ctx, c.reserved.UID)
		}
		c.reserved = nil
	}
	return nil
}
