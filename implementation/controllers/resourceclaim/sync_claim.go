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
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/claimplan"
)

// syncClaim takes away unused reservations, allocations and claims.
func (c *Controller) syncClaim(ctx context.Context, key cache.ObjectName) error {
	claim, err := c.claims.ResourceClaims(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get claim %s: %w", key, err)
	}
	view := c.viewClaim(claim)
	plan := claimplan.PlanClaim(view)
	for {
		asked, err := c.verifyPods(ctx, view.Live, plan)
		if err != nil {
			return err
		}
		if !asked {
			break
		}
		plan = claimplan.PlanClaim(view)
	}
	for _, action := range plan {
		next, err := c.doForClaim(ctx, claim, action)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		claim = next
	}
	return nil
}

func (c *Controller) viewClaim(claim *resourceapi.ResourceClaim) claimplan.ClaimView {
	view := claimplan.ClaimView{
		Claim:   claim,
		Pods:    make(map[string]*corev1.Pod),
		Live:    make(map[string]*corev1.Pod),
		Deleted: sets.New[types.UID](),
	}
	for _, name := range claimplan.PodNames(claim) {
		if pod, err := c.pods.Pods(claim.Namespace).Get(name); err == nil {
			view.Pods[name] = pod
		}
	}
	consider := func(uid types.UID) {
		if c.deleted.has(uid) {
			view.Deleted.Insert(uid)
		}
	}
	for _, consumer := range claim.Status.ReservedFor {
		consider(consumer.UID)
	}
	if owner, ok := claimplan.OwningPod(claim); ok {
		consider(owner.UID)
	}
	return view
}

// verifyPods looks up the pods a plan is unsure about and reports whether there were any.
func (c *Controller) verifyPods(ctx context.Context, live map[string]*corev1.Pod, plan []claimplan.Action) (asked bool, err error) {
	for _, action := range plan {
		action, ok := action.(claimplan.VerifyPod)
		if !ok {
			continue
		}
		if live[action.Name], err = c.livePod(ctx, action); err != nil {
			return false, err
		}
		asked = true
	}
	return asked, nil
}

// livePod reads a pod from the API server. It returns nil if there is none.
func (c *Controller) livePod(ctx context.Context, action claimplan.VerifyPod) (*corev1.Pod, error) {
	pod, err := c.client.CoreV1().Pods(action.Namespace).Get(ctx, action.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("check whether pod %s/%s exists: %w", action.Namespace, action.Name, err)
	}
	return pod, nil
}

func (c *Controller) doForClaim(ctx context.Context, claim *resourceapi.ResourceClaim, action claimplan.Action) (*resourceapi.ResourceClaim, error) {
	logger, claims := klog.FromContext(ctx), c.client.ResourceV1().ResourceClaims(claim.Namespace)
	switch action := action.(type) {
	case claimplan.Release:
		next, err := claims.UpdateStatus(ctx, action.Apply(claim), metav1.UpdateOptions{})
		if err != nil {
			return nil, fmt.Errorf("release claim %s: %w", klog.KObj(claim), err)
		}
		logger.V(2).Info("Released claim", "dropped", action.Dropped, "deallocated", action.Deallocate)
		return next, nil
	case claimplan.RemoveFinalizer:
		next, err := claims.Update(ctx, action.Apply(claim), metav1.UpdateOptions{})
		if err != nil {
			return nil, fmt.Errorf("remove the finalizer of claim %s: %w", klog.KObj(claim), err)
		}
		logger.V(2).Info("Removed the finalizer of a claim that is not allocated")
		return next, nil
	case claimplan.DeleteClaim:
		err := claims.Delete(ctx, claim.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &action.Claim.UID}})
		if err != nil {
			return nil, fmt.Errorf("delete claim %s: %w", klog.KObj(claim), err)
		}
		logger.V(2).Info("Deleted claim", "why", action.Why)
	}
	return claim, nil
}
