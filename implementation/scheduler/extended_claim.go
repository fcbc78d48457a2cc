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

// createSpecialClaim creates the claim for the extended resources of a pod, with
// all that can be written at once. The claim controller removes the finalizer if
// nothing follows.
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

// patchSpecialClaimStatus tells the kubelet which container uses which request of
// the special claim.
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
		// Not a strategic patch: the list of mappings must be replaced as a whole.
		_, err := pl.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	})
}

func retriable(err error) bool {
	return apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err) || apierrors.IsConflict(err)
}

// deleteSpecialClaim deletes a special claim and what the pod's status says of it
// (KEP-5004, section "Failure handling"). That it is gone already is fine.
func (pl *Plugin) deleteSpecialClaim(ctx context.Context, pod *v1.Pod, claim *resourceapi.ResourceClaim) error {
	if s := pl.cluster.simulated; s != nil {
		// Somebody else's finalizer keeps it, with its devices.
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
	// Its devices are free when the event says that the claim is gone: somebody else's
	// finalizer may keep it.
	// API servers that keep a status which clients leave out ignore this.
	if err := pl.patchPodStatus(ctx, pod, nil); err != nil && !apierrors.IsNotFound(err) {
		klog.FromContext(ctx).V(4).Info("Cannot clear ExtendedResourceClaimStatus", "pod", klog.KObj(pod), "err", err)
	}
	return nil
}

// specialClaimTime is how long waitForSpecialClaim waits.
const specialClaimTime = 2 * time.Minute

// waitForSpecialClaim makes the DRA manager use the claim as it was written. That
// works only after its informer has seen the new claim.
func (pl *Plugin) waitForSpecialClaim(ctx context.Context, claim *resourceapi.ResourceClaim) {
	changed, stop := pl.cluster.watches.watch([]types.UID{claim.UID})
	defer stop()
	timeout := time.NewTimer(specialClaimTime)
	defer timeout.Stop()
	// The manager's informer may be later than ours, hence the ticker.
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		// Fails also if the manager has a newer version, which is as good.
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
