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
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/scheduler/extension"
)

// waking retries pods waiting for a claim to be created. With a queueing hint the queue would call it
// for each waiting pod. When many pods are created, nearly all wait for their own claims: that took an
// eighth of the scheduler's time.
type waking struct {
	pods     cache.Indexer
	activate func(map[string]*v1.Pod)
}

// claimPodsIndex indexes unbound pods by "namespace/name" of their claims.
const claimPodsIndex = "draUnboundPodsByClaim"

func indexUnboundPod(obj any) ([]string, error) {
	pod, ok := obj.(*v1.Pod)
	if !ok || pod.Spec.NodeName != "" {
		return nil, nil
	}
	var keys []string
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err == nil && name != nil {
			keys = append(keys, pod.Namespace+"/"+*name)
		}
	}
	return keys, nil
}

// podsOf returns the pods without a node using the claim.
func (w *waking) podsOf(claim *resourceapi.ResourceClaim) ([]*v1.Pod, error) {
	objs, err := w.pods.ByIndex(claimPodsIndex, claim.Namespace+"/"+claim.Name)
	if err != nil {
		return nil, fmt.Errorf("look up pods of claim: %w", err)
	}
	pods := make([]*v1.Pod, 0, len(objs))
	for _, obj := range objs {
		pods = append(pods, obj.(*v1.Pod))
	}
	return pods, nil
}

// wake retries the pods using a claim. A pod with a later reference, by a status update, finds the
// claim itself.
func (w *waking) wake(claim *resourceapi.ResourceClaim) {
	pods, err := w.podsOf(claim)
	if err != nil || len(pods) == 0 {
		return // our own index: never fails
	}
	waiting := make(map[string]*v1.Pod, len(pods))
	for _, pod := range pods {
		waiting[pod.Namespace+"/"+pod.Name] = pod
	}
	w.activate(waiting)
}

// podsToAsk names the pods to call afterClaimChange for (feature SchedulerPreQueueingHints).
func (pl *Plugin) podsToAsk(_ klog.Logger, oldObj, newObj any) (fwk.PreQueueingHintResult, error) {
	before, after, _, err := extension.Objects[resourceapi.ResourceClaim](oldObj, newObj)
	if err != nil || after == nil || freed(before, after) {
		return fwk.PreQueueingHintResult{AllPods: true}, err
	}
	pods, err := pl.cluster.waking.podsOf(after)
	if err != nil {
		return fwk.PreQueueingHintResult{}, err
	}
	var result fwk.PreQueueingHintResult
	for _, pod := range pods {
		result.Pods = append(result.Pods, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	}
	return result, nil
}
