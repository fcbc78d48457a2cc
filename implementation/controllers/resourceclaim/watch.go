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

package resourceclaim

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

// Cache indices. Keys are "namespace/name", except claimsByPod: the UID of a claim's owning pod.
const (
	podsByClaim    = "claim"
	podsByTemplate = "claimTemplate"
	claimsByPod    = "owningPod"
)

func indexByClaim(object any) ([]string, error) {
	pod := object.(*corev1.Pod)
	return keys(pod.Namespace, claimplan.ClaimNames(pod)), nil
}

func indexByTemplate(object any) ([]string, error) {
	pod := object.(*corev1.Pod)
	return keys(pod.Namespace, claimplan.TemplateNames(pod)), nil
}

func indexByOwner(object any) ([]string, error) {
	owner, ok := claimplan.OwningPod(object.(*resourceapi.ResourceClaim))
	if !ok {
		return nil, nil
	}
	return []string{string(owner.UID)}, nil
}

func keys(namespace string, names []string) []string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		all = append(all, cache.NewObjectName(namespace, name).String())
	}
	return all
}

// podChanged: a runnable pod may need claims, a finished one may release some.
func (c *Controller) podChanged(pod *corev1.Pod) {
	switch {
	case !claimplan.UsesClaims(pod):
	case claimplan.Done(pod):
		c.enqueueClaims(pod)
	case pod.DeletionTimestamp == nil:
		c.Queue.Add(item{podItem, cache.MetaObjectToName(pod)})
	}
}

func (c *Controller) podDeleted(pod *corev1.Pod) {
	if claimplan.UsesClaims(pod) {
		c.deleted.add(pod.UID)
		c.created.forget(pod.UID)
		c.enqueueClaims(pod)
	}
}

func (c *Controller) enqueueClaims(pod *corev1.Pod) {
	for _, name := range claimplan.ClaimNames(pod) {
		c.Queue.Add(item{claimItem, cache.NewObjectName(pod.Namespace, name)})
	}
}

// claimChanged: it may be reserved for deleted pods, or newly allocated for waiting pods.
func (c *Controller) claimChanged(claim *resourceapi.ResourceClaim) {
	c.created.seen(claim)
	c.Queue.Add(item{claimItem, cache.MetaObjectToName(claim)})
	c.enqueuePods(podsByClaim, cache.MetaObjectToName(claim))
}

// claimDeleted: pods may need a new one.
func (c *Controller) claimDeleted(claim *resourceapi.ResourceClaim) {
	c.created.seen(claim)
	c.enqueuePods(podsByClaim, cache.MetaObjectToName(claim))
}

func (c *Controller) templateChanged(template *resourceapi.ResourceClaimTemplate) {
	c.enqueuePods(podsByTemplate, cache.MetaObjectToName(template))
}

func (c *Controller) enqueuePods(index string, key cache.ObjectName) {
	// The only possible error is an unknown index.
	pods, _ := c.podIndex.ByIndex(index, key.String())
	for _, pod := range pods {
		c.podChanged(pod.(*corev1.Pod))
	}
}
