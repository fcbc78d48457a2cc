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
	"encoding/json"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
)

// createSpecialClaim creates the claim for a pod's extended resources, as complete as one request
// allows. The claim controller removes the finalizer if the next write never comes.
func (pl *Plugin) createSpecialClaim(ctx context.Context, variant *resourceapi.ResourceClaim, timeout string) (*resourceapi.ResourceClaim, error) {
	claim := variant.DeepCopy()
	claim.Name, claim.UID = "", "" // from the API server
	addFinalizer(claim)
	setBindingTimeout(claim, timeout)
	created, err := pl.client.ResourceV1().ResourceClaims(claim.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	pl.metrics.ClaimCreate(err == nil)
	if err != nil {
		// If it was created nevertheless, the next attempt finds it.
		return nil, fmt.Errorf("create claim for extended resources %s: %w", klog.KObj(variant), err)
	}
	klog.FromContext(ctx).V(5).Info("Created claim for extended resources", "resourceclaim", klog.KObj(created))
	return created, nil
}

// patchSpecialClaimStatus publishes the mapping from containers to requests of the special claim for
// the kubelet.
func (pl *Plugin) patchSpecialClaimStatus(ctx context.Context, pod *v1.Pod, claim string, mappings []v1.ContainerExtendedResourceRequest) error {
	status := &v1.PodExtendedResourceClaimStatus{ResourceClaimName: claim, RequestMappings: mappings}
	if err := pl.patchPodStatus(ctx, pod, status); err != nil {
		return fmt.Errorf("update pod %s/%s ExtendedResourceClaimStatus: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

func (pl *Plugin) patchPodStatus(ctx context.Context, pod *v1.Pod, status *v1.PodExtendedResourceClaimStatus) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": pod.UID},
		"status":   map[string]any{"extendedResourceClaimStatus": status},
	})
	if err != nil {
		return err
	}
	return retry.OnError(retry.DefaultBackoff, retriable, func() error {
		// A merge patch replaces the whole list of mappings, unlike a strategic one.
		_, err := pl.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	})
}

func retriable(err error) bool {
	return apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsConflict(err)
}

// deleteSpecialClaim deletes a special claim and its mapping in the pod's status (KEP-5004, section
// "Failure handling"). A missing claim is fine.
func (pl *Plugin) deleteSpecialClaim(ctx context.Context, pod *v1.Pod, claim *resourceapi.ResourceClaim) error {
	if s := pl.cluster.simulated; s != nil {
		// Another finalizer keeps the claim and its devices.
		if !slices.ContainsFunc(claim.Finalizers, func(f string) bool { return f != resourceapi.Finalizer }) {
			s.Remove(claim)
		}
		return nil
	}
	claims := pl.client.ResourceV1().ResourceClaims(claim.Namespace)
	latest := claim.DeepCopy()
	first := true
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if !first {
			var err error
			if latest, err = claims.Get(ctx, claim.Name, metav1.GetOptions{}); err != nil {
				return fmt.Errorf("get resourceclaim %s: %w", klog.KObj(claim), err)
			}
		}
		first = false
		i := slices.Index(latest.Finalizers, resourceapi.Finalizer)
		if i < 0 || latest.UID != claim.UID {
			return nil
		}
		latest.Finalizers = slices.Delete(latest.Finalizers, i, i+1)
		if _, err := claims.Update(ctx, latest, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("update resourceclaim %s: %w", klog.KObj(claim), err)
		}
		return nil
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	err = claims.Delete(ctx, claim.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(claim.UID))})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete resourceclaim %s: %w", klog.KObj(claim), err)
	}
	// Its devices are free after the claim's DELETE event: another finalizer may keep the claim. API
	// servers that restore omitted status ignore this.
	if err := pl.patchPodStatus(ctx, pod, nil); err != nil && !apierrors.IsNotFound(err) {
		klog.FromContext(ctx).V(4).Info("Cannot clear ExtendedResourceClaimStatus", "pod", klog.KObj(pod), "err", err)
	}
	return nil
}

// specialClaimTime is the timeout of waitForSpecialClaim.
const specialClaimTime = 2 * time.Minute

// waitForSpecialClaim makes the DRA manager use the written claim. The manager's informer must have
// the new claim first.
func (pl *Plugin) waitForSpecialClaim(ctx context.Context, claim *resourceapi.ResourceClaim) {
	changed, stop := pl.cluster.watches.watch([]types.UID{claim.UID})
	defer stop()
	timeout := time.NewTimer(specialClaimTime)
	defer timeout.Stop()
	// The manager's informer may be later than this one, hence the ticker.
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		// Also fails if the manager has a newer version: equally good.
		if err := pl.dra.ResourceClaims().AssumeClaimAfterAPICall(claim); err == nil {
			return
		}
		if known, err := pl.dra.ResourceClaims().Get(claim.Namespace, claim.Name); err == nil && known.UID == claim.UID && known.Status.Allocation != nil {
			return
		}
		select {
		case <-changed:
		case <-ticker.C:
		case <-timeout.C:
			klog.FromContext(ctx).V(4).Info("Claim for extended resources not seen in time", "resourceclaim", klog.KObj(claim))
			return
		case <-ctx.Done():
			return
		}
	}
}
