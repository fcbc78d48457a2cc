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
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
)

// bindClaim writes the claim's reservation for the pod, and its allocation if Reserve made one. On
// success c has the API server's response.
func (pl *Plugin) bindClaim(ctx context.Context, a *attempt, c *claimAttempt, pod *v1.Pod, nodeName string) error {
	logger := klog.FromContext(ctx)
	special := c == a.special()
	fit, _ := a.fitOn(nodeName)
	timeout := pl.bindingTimeoutOf(fit.node, c.reserved)
	if special {
		created, err := pl.createSpecialClaim(ctx, fit.variant.claim, timeout)
		if err != nil {
			return err
		}
		c.claim = created // Unreserve deletes it from now on.
	}
	w := &claimWrite{plugin: pl, pod: pod, claim: c.claim.DeepCopy(), timeout: timeout}
	if c.reserved != nil {
		w.allocation = c.reserved.Status.Allocation
	}
	claim, err := w.run(ctx)
	if errors.Is(err, errUnsettled) {
		pl.leave(w, c)
	}
	if err != nil {
		return err
	}
	pl.wrote(c, claim)
	logger.V(5).Info("Reserved claim", "pod", klog.KObj(pod), "node", nodeName, "resourceclaim", klog.Format(claim))
	if special {
		if err := pl.patchSpecialClaimStatus(ctx, pod, claim.Name, fit.variant.mappings); err != nil {
			return err
		}
		pl.waitForSpecialClaim(ctx, claim)
		return nil
	}
	if err := pl.dra.ResourceClaims().AssumeClaimAfterAPICall(claim); err != nil {
		// The claim was changed or deleted in the meantime; the newer state counts.
		logger.V(5).Info("Claim not assumed", "resourceclaim", klog.KObj(claim), "err", err)
	}
	return nil
}

// wrote records the API server's response.
func (pl *Plugin) wrote(c *claimAttempt, claim *resourceapi.ResourceClaim) {
	c.claim = claim
	if c.reserved != nil {
		c.written = true
		// Confirm comes first to keep the devices in use: the special claim's UID in flight differs from the
		// one in the API.
		pl.cluster.state.Confirm(claim)
		pl.cluster.state.Forget(c.reserved.UID)
	}
}

// claimWrite writes allocation and reservation of a claim.
type claimWrite struct {
	plugin     *Plugin
	pod        *v1.Pod
	claim      *resourceapi.ResourceClaim    // latest known version, a copy
	allocation *resourceapi.AllocationResult // nil if already allocated
	timeout    string                        // see bindingTimeoutAnnotation
	sent       bool                          // a request with the allocation was sent
}

func (w *claimWrite) run(ctx context.Context) (*resourceapi.ResourceClaim, error) {
	first := true
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !first {
			latest, err := w.get(ctx)
			if err != nil {
				return fmt.Errorf("get updated claim %s after conflict: %w", klog.KObj(w.claim), err)
			}
			if latest.UID != w.claim.UID {
				return overtaken(w.claim, "deleted")
			}
			w.claim = latest
		}
		first = false
		return w.try(ctx)
	})
	if err == nil {
		return w.claim, nil
	}
	if w.sent && !definite(err) {
		return w.settle(ctx, err)
	}
	return nil, err
}

func (w *claimWrite) get(ctx context.Context) (*resourceapi.ResourceClaim, error) {
	return w.plugin.client.ResourceV1().ResourceClaims(w.claim.Namespace).Get(ctx, w.claim.Name, metav1.GetOptions{})
}

// done reports whether the claim has everything to be written.
func (w *claimWrite) done(claim *resourceapi.ResourceClaim) bool {
	if claim.Status.Allocation == nil || !resourceclaim.IsReservedForPod(w.pod, claim, false) {
		return false
	}
	return w.allocation == nil || apiequality.Semantic.DeepEqual(claim.Status.Allocation.Devices, w.allocation.Devices)
}

func (w *claimWrite) try(ctx context.Context) error {
	if w.claim.DeletionTimestamp != nil {
		return overtaken(w.claim, "deleted")
	}
	if w.done(w.claim) {
		return nil
	}
	if w.allocation != nil && w.claim.Status.Allocation != nil {
		return overtaken(w.claim, "allocated elsewhere")
	}
	if w.allocation == nil && w.claim.Status.Allocation == nil {
		return overtaken(w.claim, "deallocated elsewhere")
	}
	claims := w.plugin.client.ResourceV1().ResourceClaims(w.claim.Namespace)
	if w.allocation != nil {
		// The finalizer may remain from a scheduler killed at this point.
		missing := addFinalizer(w.claim)
		changed := setBindingTimeout(w.claim, w.timeout)
		if missing || changed {
			updated, err := claims.Update(ctx, w.claim, metav1.UpdateOptions{})
			if err != nil {
				return fmt.Errorf("add finalizer to claim %s: %w", klog.KObj(w.claim), err)
			}
			w.claim = updated
		}
	}
	w.fill()
	w.sent = w.allocation != nil
	updated, err := claims.UpdateStatus(ctx, w.claim, metav1.UpdateOptions{})
	if err != nil {
		if w.allocation != nil {
			return fmt.Errorf("add allocation and reservation to claim %s: %w", klog.KObj(w.claim), err)
		}
		return fmt.Errorf("add reservation to claim %s: %w", klog.KObj(w.claim), err)
	}
	w.claim = updated
	return nil
}

// fill sets allocation and reservation. The API server decides whether the pod may be added.
func (w *claimWrite) fill() {
	status := &w.claim.Status
	if w.allocation != nil {
		status.Allocation = w.allocation.DeepCopy()
		if w.plugin.features.DeviceBindingAndStatus {
			status.Allocation.AllocationTimestamp = &metav1.Time{Time: time.Now()}
		}
	}
	if !resourceclaim.IsReservedForPod(w.pod, w.claim, false) {
		status.ReservedFor = append(status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
			APIGroup: v1.GroupName, Resource: "pods", Name: w.pod.Name, UID: w.pod.UID,
		})
	}
}

// overtakenError means another writer was faster.
type overtakenError string

func (e overtakenError) Error() string { return string(e) }

func overtaken(claim *resourceapi.ResourceClaim, what string) error {
	return overtakenError(fmt.Sprintf("claim %s got %s in the meantime", klog.KObj(claim), what))
}
