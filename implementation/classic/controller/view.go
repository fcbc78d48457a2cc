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
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/dra-conformance/dratest/implementation/claimplan"
	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// resolve returns a classic claim of any driver with its class, nil if there is none. Errors are
// those of classicplan.Resolve, except for mistakes in claims of other drivers: these count as not
// classic.
func (c *Controller) resolve(claim *resourceapi.ResourceClaim) (*Claim, error) {
	request, err := classicplan.Resolve(claim, c.deviceClass)
	class := cached[*v1alpha1.ResourceClass](c.classes.GetIndexer(), cache.NewObjectName("", request.ResourceClass))
	if err != nil && class != nil && string(class.DriverName) != c.name {
		return nil, classicplan.ErrNotClassic // Its driver reports it.
	}
	if err != nil {
		return nil, err
	}
	return &Claim{Claim: claim, Class: class, Config: request.Config, request: request.Name, deviceClass: request.DeviceClass}, nil
}

func (c *Controller) deviceClass(name string) *resourceapi.DeviceClass {
	class, err := c.deviceClasses.Get(name)
	if err != nil {
		return nil
	}
	return class
}

func (c *Controller) ours(claim *Claim) bool {
	return claim.Class != nil && string(claim.Class.DriverName) == c.name
}

// view collects the known state of a claim. The second result is nil if the claim is not classic,
// or invalid; then only its held resources matter.
func (c *Controller) view(name cache.ObjectName) (view classicplan.ClaimView, resolved *Claim, err error) {
	view = classicplan.ClaimView{
		Driver: c.name, Record: cached[*v1alpha1.ClassicClaim](c.records.GetIndexer(), name), Claim: cached[*resourceapi.ResourceClaim](c.latestClaims, name),
	}
	if view.Claim == nil {
		return view, nil, nil
	}
	resolved, err = c.resolve(view.Claim)
	if errors.Is(err, classicplan.ErrNotClassic) {
		return view, nil, nil
	}
	if err != nil {
		return view, nil, err
	}
	view.Class, view.Config = resolved.Class, resolved.Config
	for _, pod := range c.podsOf(name) {
		if selection, ok := c.selection(pod, view.Claim); ok {
			view.Selections = append(view.Selections, selection)
		}
	}
	return view, resolved, nil
}

// selection returns the scheduler's selection for a pod waiting for a claim. A node counts when all
// drivers have answered.
func (c *Controller) selection(pod *corev1.Pod, claim *resourceapi.ResourceClaim) (classicplan.Selection, bool) {
	scheduling := c.schedulingOf(pod)
	if scheduling == nil {
		return classicplan.Selection{}, false
	}
	pending, uses := c.pending(pod), false
	var names []string
	for _, other := range pending {
		names = append(names, other.PodClaim)
	}
	for i := range pod.Spec.ResourceClaims {
		used := c.claimOf(pod, &pod.Spec.ResourceClaims[i])
		uses = uses || used != nil && used.UID == claim.UID
	}
	selection := classicplan.Selection{PodName: pod.Name, PodUID: pod.UID, Unsuitable: classicplan.Refused(scheduling, names)}
	if classicplan.Answered(scheduling, names) {
		selection.Node = scheduling.Spec.SelectedNode
	}
	return selection, uses
}

// schedulingOf returns the PodScheduling of a pod waiting for a node, or nil.
func (c *Controller) schedulingOf(pod *corev1.Pod) *v1alpha1.PodScheduling {
	if pod.Spec.NodeName != "" || claimplan.Done(pod) {
		return nil
	}
	scheduling := cached[*v1alpha1.PodScheduling](c.latestSchedulings, cache.MetaObjectToName(pod))
	if scheduling == nil {
		return nil
	}
	for _, owner := range scheduling.OwnerReferences {
		if owner.UID == pod.UID {
			return scheduling
		}
	}
	return nil // That of a pod which had the name before.
}

// pending returns a pod's classic claims waiting for their first consumer, including those of other
// drivers.
func (c *Controller) pending(pod *corev1.Pod) []*Claim {
	var pending []*Claim
	for i := range pod.Spec.ResourceClaims {
		entry := &pod.Spec.ResourceClaims[i]
		claim := c.claimOf(pod, entry)
		if claim == nil || claim.Status.Allocation != nil || claim.DeletionTimestamp != nil {
			continue
		}
		resolved, err := c.resolve(claim)
		// Mistakes are reported when the claim itself is synced.
		if err != nil || resolved.Config.AllocationMode != v1alpha1.WaitForFirstConsumer {
			continue
		}
		resolved.PodClaim = entry.Name
		pending = append(pending, resolved)
	}
	return pending
}

// waitsForUs reports whether a pod has unallocated claims of this driver.
func (c *Controller) waitsForUs(pod cache.ObjectName) bool {
	known, err := c.pods.Pods(pod.Namespace).Get(pod.Name)
	return err == nil && slices.ContainsFunc(c.pending(known), c.ours)
}

// claimOf returns the claim of an entry in a pod's spec, or nil.
func (c *Controller) claimOf(pod *corev1.Pod, entry *corev1.PodResourceClaim) *resourceapi.ResourceClaim {
	name, mustCheckOwner, err := resourceclaim.Name(pod, entry)
	if err != nil || name == nil {
		return nil
	}
	claim := cached[*resourceapi.ResourceClaim](c.latestClaims, cache.NewObjectName(pod.Namespace, *name))
	if claim == nil || mustCheckOwner && resourceclaim.IsForPod(pod, claim, false) != nil {
		return nil
	}
	return claim
}
