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

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/dra-conformance/dratest/implementation/classic/api/v1alpha1"
	"github.com/dra-conformance/dratest/implementation/classic/classicplan"
)

// unusableError is why a claim cannot be reserved: others were faster.
type unusableError string

func (e unusableError) Error() string { return string(e) }

// PreBindPreFlight reports whether PreBind has work for the pod. Later plugins wait: a failed
// reservation saves their writes.
func (pl *Plugin) PreBindPreFlight(_ context.Context, cycle fwk.CycleState, _ *v1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	result := &fwk.PreBindPreFlightResult{}
	if attemptOf(cycle) == nil {
		result.AllowParallel = true
		return result, fwk.NewStatus(fwk.Skip)
	}
	return result, nil
}

// PreBind reserves unreserved claims for the pod. After a failure the framework calls Unreserve.
func (pl *Plugin) PreBind(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	a := attemptOf(cycle)
	if a == nil {
		return nil
	}
	for _, c := range a.claims {
		if resourceclaim.IsReservedForPod(pod, c.claim, false) {
			continue
		}
		// Before the result is known: Unreserve also has to undo a write with a lost response.
		a.reserved = append(a.reserved, c.claim)
		err := pl.reserve(ctx, pod, c)
		var unusable unusableError
		if errors.As(err, &unusable) {
			return unschedulable(klog.FromContext(ctx), unusable.Error(), pod)
		}
		if err != nil {
			return fwk.AsStatus(err)
		}
	}
	return nil
}

// reserve adds a pod to the consumers of a claim. Usability is checked for the written version.
// Still, deallocation may be requested concurrently in the claim's record, read from the cache;
// then the claim's driver waits until the pod has ended.
func (pl *Plugin) reserve(ctx context.Context, pod *v1.Pod, c *podClaim) error {
	claims := pl.client.ResourceV1().ResourceClaims(c.claim.Namespace)
	claim, first := c.claim, true
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !first {
			latest, err := claims.Get(ctx, claim.Name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("read claim %s: %w", klog.KObj(claim), err)
			}
			claim = latest
		}
		first = false
		if claim.UID != c.claim.UID || claim.Status.Allocation == nil {
			return unusableError(fmt.Sprintf("resource claim %s was deleted or deallocated in the meantime", claim.Name))
		}
		if resourceclaim.IsReservedForPod(pod, claim, false) {
			return nil
		}
		record := cached[*v1alpha1.ClassicClaim](pl.cluster.records, claim.Namespace, claim.Name)
		why, err := classicplan.Usable(claim, record, pod.UID)
		if err != nil {
			return fmt.Errorf("reserve claim %s: %w", klog.KObj(claim), err)
		}
		if why != "" {
			return unusableError(fmt.Sprintf("resource claim %s: %s", claim.Name, why))
		}
		changed := claim.DeepCopy()
		changed.Status.ReservedFor = append(changed.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
			APIGroup: v1.GroupName, Resource: "pods", Name: pod.Name, UID: pod.UID,
		})
		updated, err := claims.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
		if err != nil {
			return fmt.Errorf("reserve claim %s: %w", klog.KObj(claim), err)
		}
		claim = updated
		return nil
	})
	if err != nil {
		return err
	}
	c.claim = claim
	pl.assume(ctx, claim)
	klog.FromContext(ctx).V(5).Info("Reserved claim", "pod", klog.KObj(pod), "resourceclaim", klog.KObj(claim))
	return nil
}

// assume publishes the API server's response at once.
func (pl *Plugin) assume(ctx context.Context, claim *resourceapi.ResourceClaim) {
	if err := pl.cluster.dra.ResourceClaims().AssumeClaimAfterAPICall(claim); err != nil {
		// The claim was changed or deleted since; the newer version counts.
		klog.FromContext(ctx).V(5).Info("Claim not assumed", "resourceclaim", klog.KObj(claim), "err", err)
	}
}

// PostBind removes the PodScheduling. If that fails, it is garbage-collected with its owner, the
// pod.
func (pl *Plugin) PostBind(ctx context.Context, cycle fwk.CycleState, pod *v1.Pod, _ string) {
	a := attemptOf(cycle)
	if a == nil {
		return
	}
	scheduling := pl.cluster.scheduling(pod)
	pl.cluster.forget(pod.UID)
	if scheduling == nil {
		return
	}
	if err := pl.cluster.remove(ctx, scheduling); err != nil {
		klog.FromContext(ctx).Error(err, "PodScheduling stays until the pod is deleted", "pod", klog.KObj(pod))
	}
}
