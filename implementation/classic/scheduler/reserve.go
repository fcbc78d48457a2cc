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

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

// Reserve makes the next move of the negotiation: a pod with claims waiting for their first
// consumer continues only once drivers have allocated them. Requests are written from here, not
// from PreBind, so later plugins reserve nothing.
func (pl *Plugin) Reserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, nodeName string) *fwk.Status {
	a := attemptOf(cycle)
	if a == nil {
		return nil
	}
	n := a.negotiation
	n.Fitting = append(n.Fitting, nodeName)
	for _, node := range a.fitting {
		if node != nodeName {
			n.Fitting = append(n.Fitting, node)
		}
	}
	switch move := classicplan.Negotiate(n).(type) {
	case classicplan.Await:
		pl.cluster.remember(pod, func(t *talk) { t.selected = n.Scheduling.Spec.SelectedNode })
		return fwk.NewStatus(fwk.Pending, waiting+move.Why)
	case classicplan.GiveUp:
		pl.cluster.remember(pod, func(t *talk) { t.rejected, t.stuck = nil, nil })
		return unschedulable(klog.FromContext(ctx), move.Why, pod)
	case classicplan.Ask:
		pl.cluster.remember(pod, func(t *talk) { t.selected = move.Spec.SelectedNode })
		pl.cluster.ask(pod, n.Scheduling, move, a.since)
		return fwk.NewStatus(fwk.Pending, waiting+classicplan.Awaiting(asked(pod, n.Scheduling, move.Spec), n.Pending))
	}
	return nil
}

// Unreserve removes the pod from the consumers of claims reserved by PreBind.
func (pl *Plugin) Unreserve(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ string) {
	a := attemptOf(cycle)
	if a == nil {
		return
	}
	for _, claim := range a.reserved {
		if err := pl.release(ctx, pod, claim.Namespace, claim.Name, claim.UID); err != nil {
			// The pod is retried and uses it, or is deleted, and Kubernetes' claim controller
			// removes the reservation.
			klog.FromContext(ctx).Error(err, "Claim stays reserved", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
		}
	}
	a.reserved = nil
}

// release removes a pod from a claim's consumers, in any version of the claim. A deleted or
// replaced claim needs nothing.
func (pl *Plugin) release(ctx context.Context, pod *v1.Pod, namespace, name string, uid types.UID) error {
	updated, err := extension.Unreserve(ctx, pl.client.ResourceV1().ResourceClaims(namespace), name, uid, pod.UID)
	if err != nil && !outdated(err) {
		return errors.Join(fmt.Errorf("release claim %s/%s", namespace, name), err)
	}
	if err == nil && updated != nil {
		pl.assume(ctx, updated)
	}
	return nil
}
