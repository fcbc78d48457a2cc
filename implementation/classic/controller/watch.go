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

package controller

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/claimplan"
	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
)

// podsByClaim is the index of pods by "namespace/name" of their claims.
const podsByClaim = "claim"

func indexByClaim(object any) ([]string, error) {
	pod := object.(*corev1.Pod)
	var keys []string
	for _, name := range claimplan.ClaimNames(pod) {
		keys = append(keys, cache.NewObjectName(pod.Namespace, name).String())
	}
	return keys, nil
}

// podChanged: a pod may start to wait for its claims, or end.
func (c *Controller) podChanged(pod *corev1.Pod) {
	if len(pod.Spec.ResourceClaims) > 0 {
		c.enqueuePod(pod)
	}
}

func (c *Controller) enqueuePod(pod *corev1.Pod) {
	c.Queue.Add(item{schedulingItem, cache.MetaObjectToName(pod)})
	for _, name := range claimplan.ClaimNames(pod) {
		c.Queue.Add(item{claimItem, cache.NewObjectName(pod.Namespace, name)})
	}
}

// claimChanged also syncs the PodSchedulings of the claim's pods.
func (c *Controller) claimChanged(claim *resourceapi.ResourceClaim) {
	name := cache.MetaObjectToName(claim)
	c.Queue.Add(item{claimItem, name})
	for _, pod := range c.podsOf(name) {
		c.enqueuePod(pod)
	}
}

// schedulingChanged: there may be a request, or a selected node.
func (c *Controller) schedulingChanged(scheduling *v1alpha1.PodScheduling) {
	name := cache.MetaObjectToName(scheduling)
	c.Queue.Add(item{schedulingItem, name})
	if pod, err := c.pods.Pods(name.Namespace).Get(name.Name); err == nil {
		c.enqueuePod(pod)
	}
}

func (c *Controller) recordChanged(record *v1alpha1.ClassicClaim) {
	c.Queue.Add(item{claimItem, cache.MetaObjectToName(record)})
}

// classesChanged syncs all claims: classes rarely change.
func (c *Controller) classesChanged() {
	// Listing everything from a cache cannot fail.
	claims, _ := c.claims.List(labels.Everything())
	for _, claim := range claims {
		c.Queue.Add(item{claimItem, cache.MetaObjectToName(claim)})
	}
	for _, object := range c.schedulings.GetIndexer().List() {
		c.Queue.Add(item{schedulingItem, cache.MetaObjectToName(object.(*v1alpha1.PodScheduling))})
	}
}

// offer retries claims and pods waiting for the driver's resources after one was freed: nodes may
// be suitable now, and a claim with immediate allocation may have a long backoff.
func (c *Controller) offer() {
	for _, object := range c.schedulings.GetIndexer().List() {
		name := cache.MetaObjectToName(object.(*v1alpha1.PodScheduling))
		if c.waitsForUs(name) {
			c.Queue.AddAfter(item{schedulingItem, name}, afterFreed)
		}
	}
	claims, _ := c.claims.List(labels.Everything())
	for _, claim := range claims {
		if claim.Status.Allocation != nil || claim.DeletionTimestamp != nil {
			continue
		}
		resolved, err := c.resolve(claim)
		if err == nil && c.ours(resolved) && resolved.Config.AllocationMode == v1alpha1.Immediate {
			c.Queue.AddAfter(item{claimItem, cache.MetaObjectToName(claim)}, afterFreed)
		}
	}
}

func (c *Controller) podsOf(claim cache.ObjectName) []*corev1.Pod {
	// The only possible error is an unknown index.
	objects, _ := c.podIndex.ByIndex(podsByClaim, claim.String())
	pods := make([]*corev1.Pod, len(objects))
	for i := range objects {
		pods[i] = objects[i].(*corev1.Pod)
	}
	return pods
}

// cached returns a cached object, or the zero value.
func cached[T any](objects cache.KeyGetter, name cache.ObjectName) T {
	// Cache keys are never malformed.
	object, _, _ := objects.GetByKey(name.String())
	typed, _ := object.(T)
	return typed
}
