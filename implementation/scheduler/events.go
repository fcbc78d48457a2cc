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
	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

// EventsToRegister returns the events for pods rejected by this plugin. A hint skips an event only if
// it certainly does not help the pod.
func (pl *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		// Devices and allocations select nodes by label. A node's allocatable resources decide whether a
		// device plugin serves an extended resource.
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeLabel | fwk.UpdateNodeAllocatable}, QueueingHintFn: pl.afterNodeChange},
		// Not Add: see waking.go.
		{Event: fwk.ClusterEvent{Resource: fwk.ResourceClaim, ActionType: fwk.Update | fwk.Delete}, QueueingHintFn: pl.afterClaimChange, PreQueueingHintFn: pl.podsToAsk},
		// The name of a generated claim is in the pod's status.
		{Event: fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodGeneratedResourceClaim}, QueueingHintFn: pl.afterPodUpdate},
		{Event: fwk.ClusterEvent{Resource: fwk.DeviceClass, ActionType: fwk.Add | fwk.Update}, QueueingHintFn: pl.afterClassChange},
		// Includes changes of DeviceTaintRules.
		{Event: fwk.ClusterEvent{Resource: fwk.ResourceSlice, ActionType: fwk.Add | fwk.Update}, QueueingHintFn: pl.afterSliceChange},
		// Devices of an unbound pod become free without any change in the API.
		{Event: fwk.ClusterEvent{Resource: fwk.AssignedPod, ActionType: fwk.Delete}, QueueingHintFn: pl.afterPodGone},
	}, nil
}

// afterClaimChange queues pods after changes of their own claims, and all pods when devices become
// free.
func (pl *Plugin) afterClaimChange(logger klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, final, err := extension.Objects[resourceapi.ResourceClaim](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	free := freed(before, after)
	if after == nil {
		if free || !final {
			return fwk.Queue, nil
		}
		// A new claim of that name is a separate event.
		return fwk.QueueSkip, nil
	}
	// This runs for each pending pod and each claim change, so cheap checks come first.
	if !free && !namesClaim(pod, after) {
		return fwk.QueueSkip, nil
	}
	if _, err := pl.claimsOf(pod); err != nil {
		return fwk.QueueSkip, nil // The pod still lacks a claim.
	}
	if !free && before != nil && before.UID == after.UID && apiequality.Semantic.DeepEqual(before.Status, after.Status) {
		return fwk.QueueSkip, nil // Metadata does not matter.
	}
	logger.V(5).Info("Claim changed", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(after), "freed", free)
	return fwk.Queue, nil
}

// freed reports whether a claim lost its allocation; nil means the claim does not exist.
func freed(before, after *resourceapi.ResourceClaim) bool {
	return before != nil && before.Status.Allocation != nil && (after == nil || after.Status.Allocation == nil)
}

// namesClaim reports whether the pod's spec refers to the claim, directly or by a template.
func namesClaim(pod *v1.Pod, claim *resourceapi.ResourceClaim) bool {
	if pod.Namespace != claim.Namespace {
		return false
	}
	for i := range pod.Spec.ResourceClaims {
		if name := pod.Spec.ResourceClaims[i].ResourceClaimName; name != nil && *name == claim.Name {
			return true
		}
	}
	for i := range pod.Status.ResourceClaimStatuses {
		if name := pod.Status.ResourceClaimStatuses[i].ResourceClaimName; name != nil && *name == claim.Name {
			return true
		}
	}
	return false
}

// afterPodUpdate queues the pod once all of its claims exist.
func (pl *Plugin) afterPodUpdate(logger klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	_, after, _, err := extension.Objects[v1.Pod](oldObj, newObj)
	if err != nil || after == nil {
		return fwk.Queue, err
	}
	if _, err := pl.claimsOf(after); err != nil {
		logger.V(5).Info("Pod still lacks a claim", "pod", klog.KObj(pod), "err", err)
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// afterClassChange queues pods whose claims use the class, or whose extended resources the class
// serves now or served before.
func (pl *Plugin) afterClassChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, _, err := extension.Objects[resourceapi.DeviceClass](oldObj, newObj)
	if err != nil || after == nil {
		return fwk.Queue, err
	}
	if before != nil && apiequality.Semantic.DeepEqual(before.Spec, after.Spec) {
		return fwk.QueueSkip, nil
	}
	if asksForExtendedResources(pod) {
		return fwk.Queue, nil
	}
	claims, err := pl.claimsOf(pod)
	if err != nil {
		return fwk.QueueSkip, nil
	}
	for _, claim := range claims {
		if usesClass(claim, after.Name) {
			return fwk.Queue, nil
		}
	}
	return fwk.QueueSkip, nil
}

func usesClass(claim *resourceapi.ResourceClaim, class string) bool {
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil && request.Exactly.DeviceClassName == class {
			return true
		}
		for j := range request.FirstAvailable {
			if request.FirstAvailable[j].DeviceClassName == class {
				return true
			}
		}
	}
	return false
}

func asksForExtendedResources(pod *v1.Pod) bool {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for name := range containers[i].Resources.Requests {
				if isExtendedResource(name) {
					return true
				}
			}
		}
	}
	return false
}

// afterSliceChange queues pods unless only metadata changed.
func (pl *Plugin) afterSliceChange(_ klog.Logger, _ *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, _, err := extension.Objects[resourceapi.ResourceSlice](oldObj, newObj)
	if err != nil || before == nil || after == nil {
		return fwk.Queue, err
	}
	if apiequality.Semantic.DeepEqual(before.Spec, after.Spec) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// afterNodeChange queues pods unless only irrelevant allocatable resources changed.
func (pl *Plugin) afterNodeChange(_ klog.Logger, pod *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	before, after, _, err := extension.Objects[v1.Node](oldObj, newObj)
	if err != nil || before == nil || after == nil {
		return fwk.Queue, err
	}
	if apiequality.Semantic.DeepEqual(before.Labels, after.Labels) && !asksForExtendedResources(pod) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// afterPodGone queues pods when an unbound pod releases its devices. Devices of a bound pod become
// free by changes of its claims.
func (pl *Plugin) afterPodGone(_ klog.Logger, _ *v1.Pod, oldObj, newObj any) (fwk.QueueingHint, error) {
	gone, _, _, err := extension.Objects[v1.Pod](oldObj, newObj)
	if err != nil {
		return fwk.Queue, err
	}
	if gone != nil && pl.cluster.released.has(gone.UID) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
