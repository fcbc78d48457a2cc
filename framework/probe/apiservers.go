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

package probe

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	// apiServerLeases selects the leases of API servers in kube-system, which are renewed every 10
	// s and outlive their server (k8s.io/kubernetes v1.37.1, pkg/controlplane/apiserver/server.go,
	// IdentityLeaseRenewIntervalPeriod).
	apiServerLeases = "apiserver.kubernetes.io/identity=kube-apiserver"
	// renewedLately is the greatest age difference between the leases of two running API servers.
	renewedLately = time.Minute
)

// apiServers counts the API servers; zero if their leases cannot be listed.
func apiServers(ctx context.Context, client kubernetes.Interface) int {
	leases, err := client.CoordinationV1().Leases(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: apiServerLeases})
	if err != nil {
		return 0
	}
	return renewed(leases.Items)
}

// renewed counts recently renewed leases, compared with the newest one.
func renewed(leases []coordinationv1.Lease) int {
	var newest time.Time
	for _, l := range leases {
		if l.Spec.RenewTime != nil && l.Spec.RenewTime.After(newest) {
			newest = l.Spec.RenewTime.Time
		}
	}
	count := 0
	for _, l := range leases {
		if l.Spec.RenewTime != nil && newest.Sub(l.Spec.RenewTime.Time) < renewedLately {
			count++
		}
	}
	return count
}
