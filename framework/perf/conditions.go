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

package perf

import (
	"context"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// meetConditions sets the binding conditions of allocated devices after a delay, like a composable
// fabric attaching them, until ctx is done.
func (f *fixture) meetConditions(ctx context.Context, after time.Duration) error {
	queue := workqueue.NewTypedDelayingQueue[string]()
	add := func(o any) {
		if claim, ok := o.(*resourceapi.ResourceClaim); ok && len(unmet(claim)) > 0 {
			queue.AddAfter(claim.Name, after)
		}
	}
	if _, err := f.claimInformer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, o any) { add(o) }}); err != nil {
		return err
	}
	context.AfterFunc(ctx, queue.ShutDown)
	for range createdAtOnce {
		go func() {
			for {
				name, closed := queue.Get()
				if closed {
					return
				}
				if err := f.meet(ctx, name); err != nil && ctx.Err() == nil {
					klog.FromContext(ctx).Error(err, "Meet the binding conditions of devices", "claim", name)
					queue.AddAfter(name, after)
				}
				queue.Done(name)
			}
		}()
	}
	return nil
}

// meet sets the binding conditions in a claim's status. On conflict the update event retries.
func (f *fixture) meet(ctx context.Context, name string) error {
	o, there, err := f.claimInformer.GetStore().GetByKey(namespace + "/" + name)
	if err != nil || !there {
		return err
	}
	claim := o.(*resourceapi.ResourceClaim).DeepCopy() //nolint:forcetypeassert // the informer's type
	open := unmet(claim)
	if len(open) == 0 {
		return nil
	}
	claim.Status.Devices = slices.Concat(claim.Status.Devices, open)
	f.count("PUT resourceclaims/status", 1)
	_, err = f.client.ResourceV1().ResourceClaims(namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// unmet returns the missing device statuses of a claim, with their binding conditions set.
func unmet(claim *resourceapi.ResourceClaim) []resourceapi.AllocatedDeviceStatus {
	if claim.Status.Allocation == nil {
		return nil
	}
	var all []resourceapi.AllocatedDeviceStatus
	for _, r := range claim.Status.Allocation.Devices.Results {
		reported := slices.ContainsFunc(claim.Status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool {
			return d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device
		})
		if reported || len(r.BindingConditions) == 0 {
			continue
		}
		status := resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
		for _, condition := range r.BindingConditions {
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "Attached", Message: "by dratest perf"})
		}
		all = append(all, status)
	}
	return all
}
