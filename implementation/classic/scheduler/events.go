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
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

// EventsToRegister returns the events that may make a rejected pod schedulable, in addition to the
// plugin's own informers (cluster.go). A hint skips an event only if it certainly does not help the
// pod, or another event will follow.
func (pl *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Add | fwk.Update | fwk.Delete}, QueueingHintFn: pl.afterClaimChange},
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel | fwk.Delete}, QueueingHintFn: pl.afterNodeChange},
		{Event: fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodGeneratedResourceClaim}, QueueingHintFn: pl.afterAnything},
		{Event: fwk.ClusterEvent{Resource: fwk.DeviceClass, ActionType: fwk.Add | fwk.Update}, QueueingHintFn: pl.afterClassChange},
	}, nil
}

// afterClaimChange queues pods after a change of their own claim, except during the drivers' turn.
// Drivers inform other pods about a claim's deallocation, except pods with more nodes than drivers
// are asked about.
func (pl *Plugin) afterClaimChange(logger klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, _, err := extension.Objects[resourceapi.ResourceClaim](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	switch {
	case after != nil && pl.names(pod, after):
		if before != nil && before.UID == after.UID && apiequality.Semantic.DeepEqual(before.Status, after.Status) {
			return fwk.QueueSkip, nil // Metadata does not matter.
		}
	case !freed(before, after) || !pl.cluster.beyond(pod.UID):
		return fwk.QueueSkip, nil
	}
	return pl.afterAnything(logger, pod, oldObj, newObj)
}

// names reports whether an entry of the pod's spec refers to the claim.
func (pl *Plugin) names(pod *v1.Pod, claim *resourceapi.ResourceClaim) bool {
	if pod.Namespace != claim.Namespace {
		return false
	}
	for i := range pod.Spec.ResourceClaims {
		if pl.cluster.nameOf(pod, &pod.Spec.ResourceClaims[i]) == claim.Name {
			return true
		}
	}
	return false
}

// freed reports whether a claim lost a driver's allocation.
func freed(before, after *resourceapi.ResourceClaim) bool {
	if before == nil || before.Status.Allocation == nil || after != nil && after.Status.Allocation != nil {
		return false
	}
	_, ours, err := v1alpha1.AllocationConfigOf(before.Status.Allocation)
	return ours || err != nil
}

// afterNodeChange queues pods for new or relabeled nodes, and when a requested node is deleted
// (drivers may no longer report it) or relabeled (it may no longer be suitable).
func (pl *Plugin) afterNodeChange(logger klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, _, err := extension.Objects[v1.Node](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	if before != nil && after != nil && apiequality.Semantic.DeepEqual(before.Labels, after.Labels) {
		return fwk.QueueSkip, nil
	}
	if before != nil && slices.Contains(pl.cluster.toCheck(pod), before.Name) {
		return fwk.Queue, nil // PreFilter notices a request about to be written.
	}
	if after == nil {
		return fwk.QueueSkip, nil
	}
	return pl.afterAnything(logger, pod, oldObj, newObj)
}

// afterClassChange queues pods even during the drivers' turn: a class may refer to another
// ResourceClass now, unsuitable for the selected node.
func (pl *Plugin) afterClassChange(_ klog.Logger, pod *v1.Pod, _, _ any) (fwk.QueueingHint, error) {
	if !usable(pod, pl.cluster.claimsOf(pod)) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// afterAnything queues pods worth trying. Driver actions have their own event.
func (pl *Plugin) afterAnything(logger klog.Logger, pod *v1.Pod, _, newObj any) (fwk.QueueingHint, error) {
	// A pod from its own event is newer than the queued one.
	if updated, ok := newObj.(*v1.Pod); ok && updated.UID == pod.UID {
		pod = updated
	}
	if !pl.cluster.worthTrying(pod) {
		return fwk.QueueSkip, nil
	}
	logger.V(5).Info("Pod is worth another attempt", "pod", klog.KObj(pod))
	return fwk.Queue, nil
}
