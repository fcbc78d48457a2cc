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

package faults

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// leader is the holder of a component's lease, and empty if there is no lease or it is not renewed: then the
// component runs without leader election.
func leader(ctx context.Context, client kubernetes.Interface, component string) (string, error) {
	lease, err := client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, component, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the lease of %s: %w", component, err)
	}
	if expired(lease, time.Now()) {
		return "", nil
	}
	return ptr.Deref(lease.Spec.HolderIdentity, ""), nil
}

func expired(lease *coordinationv1.Lease, now time.Time) bool {
	lasts := time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second
	return lease.Spec.RenewTime == nil || now.Sub(lease.Spec.RenewTime.Time) > lasts
}

// awaitSuccessor waits for another leader: each process has an identity of its own, and only the leader works.
func awaitSuccessor(ctx context.Context, client kubernetes.Interface, component, before string) error {
	err := wait.PollUntilContextCancel(ctx, Pause, true, func(ctx context.Context) (bool, error) {
		now, err := leader(ctx, client, component)
		return now != "" && now != before, err
	})
	if err != nil {
		return fmt.Errorf("wait for the next leader of %s: %w", component, err)
	}
	return nil
}
