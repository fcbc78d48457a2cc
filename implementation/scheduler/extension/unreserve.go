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

package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/util/retry"
)

// Unreserve removes a pod from the consumers of a claim, in any version of the claim. It returns the
// updated claim, or nil if the claim was deleted or replaced.
//
// It sends a merge patch with the whole list. With a strategic patch the API server reorders the keys
// of opaque parameters, and then rejects them as a changed allocation.
func Unreserve(ctx context.Context, claims resourceclient.ResourceClaimInterface, name string, uid, pod types.UID) (*resourceapi.ResourceClaim, error) {
	var latest *resourceapi.ResourceClaim
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
		latest, err = claims.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && latest.UID != uid {
			latest = nil
			return nil
		}
		if err != nil {
			return err
		}
		of := func(r resourceapi.ResourceClaimConsumerReference) bool { return r.UID == pod }
		if !slices.ContainsFunc(latest.Status.ReservedFor, of) {
			return nil
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"uid": uid, "resourceVersion": latest.ResourceVersion},
			"status":   map[string]any{"reservedFor": slices.DeleteFunc(latest.Status.ReservedFor, of)},
		})
		if err != nil {
			return fmt.Errorf("encode the patch: %w", err)
		}
		latest, err = claims.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	})
	return latest, err
}
