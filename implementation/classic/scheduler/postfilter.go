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

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// PostFilter runs when no node fits: see classicplan.Recover. No pod is evicted while claims may
// still change.
func (pl *Plugin) PostFilter(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	a := attemptOf(cycle)
	if a == nil || a.rejected && !a.blocked || !a.blocked && !lookedAt(statuses) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	status, err := pl.recover(ctx, a, pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	return nil, status
}

// noNode is an impossible node name.
const noNode = ""

// lookedAt reports whether nodes were filtered, by this or earlier plugins, or no node was left
// after plugins limited the attempt. Otherwise a plugin has rejected the pod as a whole: the
// framework gives its status, which names it, to nodes without one.
func lookedAt(statuses fwk.NodeToStatusReader) bool {
	return statuses.Get(noNode).Plugin() == ""
}

func (pl *Plugin) recover(ctx context.Context, a *attempt, pod *v1.Pod) (*fwk.Status, error) {
	unfit := classicplan.Unfit{Negotiation: a.negotiation, Focus: a.focus, Blocked: a.blocked}
	indices := sets.List(a.stuck)
	for _, i := range indices {
		unfit.Stuck = append(unfit.Stuck, classicplan.Stuck{Claim: a.claims[i].claim, Record: a.claims[i].record})
	}
	var allocated []*podClaim
	for i, c := range a.claims {
		if i < len(a.places) && a.places[i].Allocated {
			allocated = append(allocated, c)
			unfit.Allocated = append(unfit.Allocated, classicplan.Stuck{Claim: c.claim, Record: c.record})
		}
	}
	switch r := pl.cluster.recovery(unfit, pod).(type) {
	case classicplan.Release:
		for _, c := range a.claims {
			if !resourceclaim.IsReservedForPod(pod, c.claim, false) {
				continue
			}
			if err := pl.release(ctx, pod, c.claim.Namespace, c.claim.Name, c.claim.UID); err != nil {
				return nil, err
			}
		}
		return fwk.NewStatus(fwk.Unschedulable), nil
	case classicplan.Widen:
		stuck := sets.New[types.UID]()
		for _, i := range indices {
			stuck.Insert(a.claims[i].claim.UID)
		}
		pl.cluster.remember(pod, func(t *talk) { pl.cluster.reject(t, a.since, r.Rejected, stuck) })
		pl.handle.Activate(klog.FromContext(ctx), map[string]*v1.Pod{pod.Namespace + "/" + pod.Name: pod})
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "trying the nodes that resource drivers were not asked about"), nil
	case classicplan.Free:
		if r.Withdraw {
			if err := pl.withdraw(ctx, a, pod); err != nil {
				return nil, err
			}
		}
		// The next attempt shows the nodes without it.
		pl.cluster.remember(pod, func(t *talk) { t.rejected, t.stuck = nil, nil })
		return pl.free(ctx, pod, a.claims[indices[r.Claim]])
	case classicplan.Yield:
		pl.cluster.remember(pod, func(t *talk) { t.rejected, t.stuck = nil, nil })
		return pl.free(ctx, pod, allocated[r.Claim])
	case classicplan.Rest:
		if r.Withdraw {
			if err := pl.withdraw(ctx, a, pod); err != nil {
				return nil, err
			}
		}
		pl.cluster.remember(pod, func(t *talk) { t.rejected, t.stuck, t.beyond = nil, nil, r.Beyond })
	}
	return fwk.NewStatus(fwk.Unschedulable), nil
}

// recovery decides with the random source shared by profiles.
func (c *cluster) recovery(unfit classicplan.Unfit, pod *v1.Pod) classicplan.Recovery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return classicplan.Recover(unfit, pod.UID, c.random)
}

func (pl *Plugin) withdraw(ctx context.Context, a *attempt, pod *v1.Pod) error {
	spec := v1alpha1.PodSchedulingSpec{PotentialNodes: a.negotiation.Scheduling.Spec.PotentialNodes}
	written, err := pl.cluster.write(ctx, pod, a.negotiation.Scheduling, spec)
	if err != nil {
		return err
	}
	pl.cluster.remember(pod, func(t *talk) { t.latest = written })
	return nil
}

// free requests deallocation from the driver of a claim. The driver waits until the claim is not
// reserved. The loss of the allocation wakes the pod.
func (pl *Plugin) free(ctx context.Context, pod *v1.Pod, c *podClaim) (*fwk.Status, error) {
	if resourceclaim.IsReservedForPod(pod, c.claim, false) {
		if err := pl.release(ctx, pod, c.claim.Namespace, c.claim.Name, c.claim.UID); err != nil {
			return nil, err
		}
	}
	record := c.record.DeepCopy()
	record.Spec.DeallocationRequested = true
	if _, err := pl.cluster.classic.ClassicClaims(record.Namespace).Update(ctx, record, metav1.UpdateOptions{}); err != nil {
		return nil, fmt.Errorf("request deallocation of claim %s: %w", klog.KObj(c.claim), err)
	}
	klog.FromContext(ctx).V(2).Info("Requested deallocation", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(c.claim))
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "deallocation of resource claim "+c.claim.Name+" requested"), nil
}
