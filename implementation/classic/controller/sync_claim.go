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
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
	"github.com/dra-conformance/dratest/implementation/controllers/loop"
)

// errOutdated means an object in the cache is stale. Its pending watch event queues the claim
// again.
var errOutdated = errors.New("the cache is behind")

// writeFailed wraps the error of a write, if any.
func writeFailed(what string, object klog.KMetadata, err error) error {
	if err == nil {
		return nil
	}
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("%s %s: %w: %w", what, klog.KObj(object), errOutdated, err)
	}
	return fmt.Errorf("%s %s: %w", what, klog.KObj(object), err)
}

// maxSteps exceeds the steps from an allocated claim to its reallocation.
const maxSteps = 12

// syncClaim executes a claim's steps one by one.
func (c *Controller) syncClaim(ctx context.Context, name cache.ObjectName) error {
	view, resolved, mistake := c.view(name)
	if mistake != nil {
		c.events.Event(view.Claim, corev1.EventTypeWarning, "Failed", mistake.Error())
	}
	work := claimWork{Controller: c, view: view, resolved: resolved}
	for range maxSteps {
		if err := work.findClaim(ctx); errors.Is(err, errOutdated) {
			klog.FromContext(ctx).V(4).Info("Waiting for news of the claim", "err", err)
			return nil
		} else if err != nil {
			return err
		}
		step := classicplan.PlanClaim(work.view)
		if idle, ok := step.(classicplan.Nothing); ok {
			klog.FromContext(ctx).V(5).Info("Nothing to do", "why", idle.Why)
			break
		}
		err := work.do(ctx, step)
		if errors.Is(err, errOutdated) {
			klog.FromContext(ctx).V(4).Info("Waiting for news of the claim", "err", err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	if mistake != nil {
		return &loop.PermanentError{Err: fmt.Errorf("claim %s: %w", name, mistake)}
	}
	return nil
}

type claimWork struct {
	*Controller
	view     classicplan.ClaimView
	resolved *Claim // nil if nothing can be allocated
	// live is set if view.Record is from the API server, not the cache.
	live bool
	// gone is the UID of a claim missing on the API server.
	gone types.UID
}

// do executes a step and updates the view.
func (w *claimWork) do(ctx context.Context, step classicplan.Step) error {
	if !w.live && classicplan.NeedsLiveRecord(step) {
		return w.readRecord(ctx)
	}
	switch s := step.(type) {
	case classicplan.AddFinalizer:
		return w.updateClaim(ctx, s.Apply(w.view.Claim), false)
	case classicplan.RemoveFinalizer:
		return w.updateClaim(ctx, s.Apply(w.view.Claim), false)
	case classicplan.CreateRecord:
		return w.createRecord(ctx, s.Record)
	case classicplan.Allocate:
		return w.allocate(ctx, s)
	case classicplan.Abandon:
		klog.FromContext(ctx).V(4).Info("Abandoning the allocation", "why", s.Why)
		return w.updateRecord(ctx, classicplan.Deallocating(s.Record), true)
	case classicplan.Revoke:
		klog.FromContext(ctx).V(2).Info("Taking the allocation back", "why", s.Why)
		if changed, status := s.Apply(w.view.Claim); changed != nil {
			if err := w.updateClaim(ctx, changed, status); err != nil {
				return err
			}
		}
		return w.updateRecord(ctx, classicplan.Deallocating(s.Record), true)
	case classicplan.Deallocate:
		return w.deallocate(ctx, s.Record)
	default:
		return fmt.Errorf("internal error: unknown step %T", step)
	}
}

// updateClaim writes the claim, or its status. A claim deleted by this is nil in the view.
func (w *claimWork) updateClaim(ctx context.Context, claim *resourceapi.ResourceClaim, status bool) error {
	claims := w.kube.ResourceV1().ResourceClaims(claim.Namespace)
	update := claims.Update
	if status {
		update = claims.UpdateStatus
	}
	updated, err := update(ctx, claim, metav1.UpdateOptions{})
	if err != nil {
		return writeFailed("update claim", claim, err)
	}
	w.latestClaims.Mutation(updated)
	if updated.DeletionTimestamp != nil && len(updated.Finalizers) == 0 {
		updated = nil
	}
	w.view.Claim = updated
	return nil
}

func (w *claimWork) createRecord(ctx context.Context, record *v1alpha1.ClassicClaim) error {
	created, err := w.classic.ClassicClaims(record.Namespace).Create(ctx, record, metav1.CreateOptions{})
	if err != nil {
		return writeFailed("create record of claim", record, err)
	}
	w.view.Record, w.live = created, true
	return nil
}

// findClaim reads the record's claim from the API server if it is missing in the cache: see
// classicplan.ClaimView.Orphaned. If it exists, the error is errOutdated.
func (w *claimWork) findClaim(ctx context.Context) error {
	record := w.view.Record
	if !w.view.Orphaned() || string(record.Spec.DriverName) != w.name || w.gone == record.Spec.ClaimUID {
		return nil
	}
	latest, err := w.kube.ResourceV1().ResourceClaims(record.Namespace).Get(ctx, record.Name, metav1.GetOptions{})
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return fmt.Errorf("read claim %s: %w", klog.KObj(record), err)
	case err == nil && latest.UID == record.Spec.ClaimUID:
		return fmt.Errorf("find claim %s: %w", klog.KObj(record), errOutdated)
	}
	w.gone = record.Spec.ClaimUID
	return nil
}

// readRecord reads the record from the API server: see classicplan.NeedsLiveRecord.
func (w *claimWork) readRecord(ctx context.Context) error {
	record := w.view.Record
	latest, err := w.classic.ClassicClaims(record.Namespace).Get(ctx, record.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		latest, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("read record of claim %s: %w", klog.KObj(record), err)
	}
	w.view.Record, w.live = latest, true
	return nil
}

// updateRecord writes the record, or its status.
func (w *claimWork) updateRecord(ctx context.Context, record *v1alpha1.ClassicClaim, status bool) error {
	records := w.classic.ClassicClaims(record.Namespace)
	update := records.Update
	if status {
		update = records.UpdateStatus
	}
	updated, err := update(ctx, record, metav1.UpdateOptions{})
	if err != nil {
		return writeFailed("update record of claim", record, err)
	}
	w.view.Record, w.live = updated, true
	return nil
}

// allocate has the driver allocate and records the result: see classicplan.Allocate.
func (w *claimWork) allocate(ctx context.Context, s classicplan.Allocate) error {
	claim := w.resolved
	claim.Claim = w.view.Claim
	if err := w.readParameters(ctx, claim); err != nil {
		return err
	}
	var allocation *Allocation
	err := w.metrics.time("allocate", func() (err error) {
		allocation, err = w.driver.Allocate(ctx, claim, s.Node)
		return err
	})
	if err != nil {
		// The suitable nodes may have changed.
		for _, pod := range w.podsOf(cache.MetaObjectToName(claim.Claim)) {
			w.Queue.Add(item{schedulingItem, cache.MetaObjectToName(pod)})
		}
		return w.failed(claim, fmt.Errorf("allocate claim %s for node %q: %w", klog.KObj(claim.Claim), s.Node, err))
	}
	record := w.view.Record.DeepCopy()
	record.Status = v1alpha1.ClassicClaimStatus{Phase: v1alpha1.Allocated, ResourceHandle: allocation.Handle, UserLimit: allocation.userLimit()}
	if err := w.updateRecord(ctx, record, true); err != nil {
		return err
	}
	allocated := claim.Claim.DeepCopy()
	class := w.deviceClass(claim.deviceClass)
	if class == nil {
		class = &resourceapi.DeviceClass{} // Deleted meanwhile.
	}
	allocated.Status.Allocation = allocation.result(w.name, claim, class, time.Now())
	if s.Consumer != nil {
		allocated.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{*s.Consumer}
	}
	if err := w.updateClaim(ctx, allocated, true); err != nil {
		if apierrors.IsInvalid(err) {
			return w.failed(claim, fmt.Errorf("allocation of driver %s: %w", w.name, err))
		}
		return err
	}
	klog.FromContext(ctx).V(2).Info("Allocated claim", "node", s.Node, "devices", allocation.Devices)
	return nil
}

// deallocate has the driver free the resource and removes the record.
func (w *claimWork) deallocate(ctx context.Context, record *v1alpha1.ClassicClaim) error {
	err := w.metrics.time("deallocate", func() error { return w.driver.Deallocate(ctx, record) })
	if err != nil {
		err = fmt.Errorf("deallocate claim %s: %w", klog.KObj(record), err)
		if w.view.Claim != nil {
			w.events.Event(w.view.Claim, corev1.EventTypeWarning, "Failed", err.Error())
		}
		return err
	}
	if err := w.updateRecord(ctx, classicplan.Released(record), false); err != nil {
		return err
	}
	err = w.classic.ClassicClaims(record.Namespace).Delete(ctx, record.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &record.UID}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete record of claim %s: %w", klog.KObj(record), err)
	}
	klog.FromContext(ctx).V(2).Info("Deallocated claim")
	w.offer()
	w.view.Record = nil
	return nil
}
